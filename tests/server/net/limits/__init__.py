"""Tests of server/net/limits."""
