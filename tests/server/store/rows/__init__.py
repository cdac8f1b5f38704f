"""Tests of server/store/rows."""
