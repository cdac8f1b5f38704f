"""Mancala programs of others, each beside our rules; `make peers` writes the table of them."""
