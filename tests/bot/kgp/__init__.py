"""Tests of ``bot/kgp``, one file a module."""
