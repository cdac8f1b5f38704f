"""Login, match requests and spectators; may know matches and ladders, not how a port is opened."""
