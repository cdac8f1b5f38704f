"""Tests of server/web/pages."""
