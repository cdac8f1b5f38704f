"""The organiser's view: the health port, the morning page and the orders given on it."""
