"""The bot's shell: a websocket client, a player behind it, and a budget of time."""
