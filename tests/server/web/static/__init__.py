"""Tests of server/web/static."""
