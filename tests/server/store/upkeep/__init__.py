"""Tests of server/store/upkeep."""
