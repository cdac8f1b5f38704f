"""Tests of server/store/database."""
