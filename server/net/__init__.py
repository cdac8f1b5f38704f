"""Ports, connections and seats; rate limits, TLS and the KGP gateway."""
