"""Statistics, ratings, pairings and standings; pure, and may know only the model."""
