"""Commands that ask the engine, or make what it knows."""
