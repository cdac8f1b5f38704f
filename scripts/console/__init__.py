"""The contract of the command line, under all other rooms: output, exit codes, shared options."""
