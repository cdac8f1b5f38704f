"""A client for servers that speak the Kalah Game Protocol."""
