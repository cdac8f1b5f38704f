"""The contract of the command line: output, exit codes and shared options."""
