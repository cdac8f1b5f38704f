"""Check a configuration as far as possible without starting a server."""

from __future__ import annotations

from server.config.loading import checked
from server.config.settings import Config
from server.net.tls import context_of
from server.publish.address import Address


def check(config: Config) -> None:
    """Check the values, the certificate with its key, and the broker's address.

    Raises:
        ConfigError: naming the invalid key.
    """
    checked(config)
    context_of(config.tls)
    if config.mqtt.url is not None:
        Address.parse(config.mqtt.url, config.mqtt).context()
