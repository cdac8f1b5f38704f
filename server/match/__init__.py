"""A match under way; may know its data, the context and a connection, but not who arranged it."""
