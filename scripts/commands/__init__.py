"""One file for each subcommand of `mancala`, and nothing else."""
