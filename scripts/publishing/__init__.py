"""Headless events on the page of a server, here or elsewhere; knows the console alone."""
