"""The operator's hand."""
