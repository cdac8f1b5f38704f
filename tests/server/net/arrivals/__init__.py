"""Tests of server/net/arrivals."""
