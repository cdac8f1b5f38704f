"""The lessons of `mancala learn`, one module for a few topics; each registers its commands."""
