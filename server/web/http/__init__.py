"""HTTP without a subject: the port, its budgets, and responses."""
