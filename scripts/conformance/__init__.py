"""The robot of ``mancala check-bot``: situations, and what a bot should do; knows no other room."""
