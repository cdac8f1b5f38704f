"""Play on a match server through the Model Context Protocol: a seat, and the tools to use it."""
