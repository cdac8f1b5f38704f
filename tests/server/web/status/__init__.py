"""Tests of server/web/status."""
