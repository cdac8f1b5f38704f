"""The processes that play headless games: a pool, or the workers of a cluster."""
