"""Tests of ``server/net``, one file a module."""
