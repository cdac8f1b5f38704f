"""The search: a class that thinks, the proofs beside it, and what both run on."""
