"""The Kalah Game Protocol for servers and clients: lines to events and back, without I/O."""
