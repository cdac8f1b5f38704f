"""Tests of scripts/commands/hosting."""
