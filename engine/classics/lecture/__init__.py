"""Game trees as lectures draw them: their text, walks through them, exercises."""
