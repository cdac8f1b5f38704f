"""What a peer may cost: budgets, connections per address, and pace."""
