"""The commands, one test file a module."""
