"""What results mean: statistics, ratings, pairing and standings, pure and without chance."""
