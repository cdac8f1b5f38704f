"""Tests of server/store/reading."""
