"""`mancala demo`: broker, server and two bots as processes, and a view; knows the console alone."""
