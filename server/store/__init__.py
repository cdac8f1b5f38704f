"""What must survive: the journal of games and the outbox, in one database."""
