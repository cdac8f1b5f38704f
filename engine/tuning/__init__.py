"""How weights are made: a regression on exact values, and a CMA-ES tuner that plays games."""
