"""The conformance robot of ``mancala check-bot``: situations, each with what a bot should do."""
