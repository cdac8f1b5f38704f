"""Tests of headless events."""
