"""An example of each thing that a package can add to Mancala Arena."""
