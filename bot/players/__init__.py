"""Players by name: the engine, its skill levels, the classics and external programs."""
