"""Tests of ``protocol/kgp``, one file a module."""
