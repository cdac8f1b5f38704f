"""The Kalah Game Protocol: lines to events and back, for servers and clients. Pure."""
