"""What a review is made of, how it is packed, and the puzzles that are found in it; pure."""
