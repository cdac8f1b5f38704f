"""The façade: its names, the packages beside it, and the extras."""
