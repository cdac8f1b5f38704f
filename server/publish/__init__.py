"""From the outbox to MQTT: events, publisher and broker."""
