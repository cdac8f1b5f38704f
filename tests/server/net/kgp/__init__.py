"""Tests of server/net/kgp."""
