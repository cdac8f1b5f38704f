"""Tests of server/contest."""
