"""Tests of server/web/http."""
