"""The data of the server: matches, standings, journal entries, events, API schemas; pure."""
