"""Everything about a configuration that can be found out without starting a server."""

from __future__ import annotations

from server.config import Config, checked
from server.publisher import Address
from server.tls import context_of


def check(config: Config) -> None:
    """Look at the values, the certificate with its key, and the broker's address.

    Raises:
        ConfigError: naming the key that can't be used.
    """
    checked(config)
    context_of(config.tls)
    if config.mqtt.url is not None:
        Address.parse(config.mqtt.url, config.mqtt).context()
