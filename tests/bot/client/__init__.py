"""Tests of ``bot/client``, one file a module."""
