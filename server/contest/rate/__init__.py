"""How strong a player is: its answers in proven positions, and its place among the levels."""
