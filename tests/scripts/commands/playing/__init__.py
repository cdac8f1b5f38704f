"""Tests of scripts/commands/playing."""
