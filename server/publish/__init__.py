"""From the outbox to MQTT: publisher, address and private broker; may know the store and TLS."""
