"""Tests of server/app."""
