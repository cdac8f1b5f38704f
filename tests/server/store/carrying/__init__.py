"""Tests of server/store/carrying."""
