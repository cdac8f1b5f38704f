"""Running ladders: membership, state, pairing; may know a match, but not who else is online."""
