"""The database: its tables, its connections, and the one thread that writes; knows no subject."""
