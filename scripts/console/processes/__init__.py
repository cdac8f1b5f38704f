"""Child processes, headless workers and the clients that commands run beside a server."""
