"""What a position is worth: named features, weights, and what the search takes from them."""
