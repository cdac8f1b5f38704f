"""Tests of headless workers."""
