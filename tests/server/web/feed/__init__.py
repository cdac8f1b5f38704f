"""Tests of server/web/feed."""
