"""Tests of the engine, one file a module."""
