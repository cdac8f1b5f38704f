"""Programs of others as players: over their pipes, or by the wire."""
