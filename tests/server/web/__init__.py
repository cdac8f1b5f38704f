"""Tests of the server as seen from outside."""
