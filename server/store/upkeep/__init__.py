"""What changes rows long after they were written: corrections, names, seasons, forgetting."""
