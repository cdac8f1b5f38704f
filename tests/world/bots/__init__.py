"""Small bots, each written with a websocket library of others."""
