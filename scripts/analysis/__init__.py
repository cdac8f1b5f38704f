"""Proofs of hours and their checks, and reviews read from a server; know the console alone."""
