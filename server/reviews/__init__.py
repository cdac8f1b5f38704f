"""Reviews of finished games: which are wanted, who makes them, and whether they stand."""
