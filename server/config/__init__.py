"""Settings: read, checked and compared; one frozen object built at the composition root."""
