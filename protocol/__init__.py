"""The pure core: rules, messages, codec, session table, clocks and referee; no input, no output."""
