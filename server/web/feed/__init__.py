"""The feed: what a web process may ask the game server, and how it is answered."""
