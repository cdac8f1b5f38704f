"""Tests of the yardstick for models."""
