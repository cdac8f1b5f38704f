"""What each table keeps: a module a subject, with the statements that write and read it."""
