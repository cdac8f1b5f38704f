"""The Kalah Game Protocol on ports of its own."""
