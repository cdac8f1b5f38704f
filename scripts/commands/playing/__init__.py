"""Commands that play games: bots on servers, and players without one."""
