"""Tests of the conformance robot, with bots that are right and bots that are broken."""
