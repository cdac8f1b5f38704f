"""The server's own condition: loop lag, fairness, garbage collection and logging."""
