"""The pure core, without input or output: rules, messages, codec, session, clock and referee."""
