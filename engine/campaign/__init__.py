"""Proofs that take hours: split into subproofs, kept in a directory, certified and estimated."""
