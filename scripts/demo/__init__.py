"""`mancala demo`: a broker, a server and two bots as processes, and the view of their match."""
