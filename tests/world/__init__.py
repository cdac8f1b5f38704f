"""The programs that stand around a server, each as its package installs it (``make world``)."""
