"""Running ladders: membership, state and pairing."""
