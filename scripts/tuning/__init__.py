"""`mancala tune`: weights fitted to the values of positions, or evolved by self-play."""
