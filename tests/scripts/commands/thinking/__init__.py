"""Tests of scripts/commands/thinking."""
