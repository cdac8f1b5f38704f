"""Benches of the server: its store, its pages, and its fits."""
