"""Benches of the engine: its speed, its strength, and what it is made of."""
