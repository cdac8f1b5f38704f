"""Headless events on the page of a server: this machine's while they run, or another's for good."""
