"""How strong a player is, without a server: proven positions and a gauntlet of the levels."""
