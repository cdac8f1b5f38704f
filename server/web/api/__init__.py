"""The JSON API: its endpoints, their parameters, and the answers."""
