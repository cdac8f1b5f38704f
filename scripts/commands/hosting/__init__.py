"""Commands of organisers."""
