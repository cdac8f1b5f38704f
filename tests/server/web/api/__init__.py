"""Tests of server/web/api."""
