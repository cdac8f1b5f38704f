"""The operator's hand on a server, running or stopped: actions, their trail, and the socket."""
