"""`mancala tune`: weights fitted to values of positions, or evolved; knows the console alone."""
