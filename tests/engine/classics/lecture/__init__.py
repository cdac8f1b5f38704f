"""Trees as lectures draw them."""
