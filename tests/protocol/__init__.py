"""What the protocol room promises."""
