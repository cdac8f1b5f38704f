"""One file for each subcommand of `mancala`, and nothing else; a command knows no other."""
