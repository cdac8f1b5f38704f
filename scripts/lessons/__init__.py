"""The lessons of `mancala learn`, one module for a few topics; they know the console alone."""
