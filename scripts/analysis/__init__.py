"""Analysis of positions and recorded games with the engine, shared by several commands."""
