"""The composition: a server made of its rooms, started, reloaded and ended; it knows all rooms."""
