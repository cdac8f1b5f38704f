"""The address of an MQTT broker: URL, credentials and TLS context."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from ..config.settings import Config, ConfigError, Mqtt, Tls
from ..net.tls import load, trusting

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a broker is, how to log in there and as whom, and how to verify its certificate."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None
    client_id: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None

    @classmethod
    def parse(cls, url: str, mqtt: Mqtt) -> Address:
        """Read ``mqtt://[user[:password]@]host[:port]`` or ``mqtts://…``; raise `ConfigError`."""
        parts = urlsplit(url)
        if parts.scheme not in PORTS or not parts.hostname:
            raise ConfigError(
                f"mqtt.url: must be mqtt://host or mqtts://host, not {without_password(url)!r}"
            )
        try:
            port = parts.port or PORTS[parts.scheme]
        except ValueError as error:
            raise ConfigError(f"mqtt.url: {error}") from None
        user = mqtt.user or (unquote(parts.username) if parts.username else None)
        password = mqtt.password or (unquote(parts.password) if parts.password else None)
        login = user, password, mqtt.client_id, mqtt.ca, mqtt.cert, mqtt.key
        return cls(parts.hostname, port, parts.scheme == "mqtts", *login)

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS context, None for plain TCP; raise `ConfigError` for a wrong file."""
        if not self.tls:
            return None
        context = trusting("mqtt.ca", self.ca)
        if self.cert is not None:
            load(context, Tls(cert=self.cert, key=self.key), "mqtt")
        return context


def without_password(url: str) -> str:
    """Return a broker's URL for people to read: its password as ``***``."""
    return re.sub(r"^((?:[^:/@]+://)?[^:/@]*):(?!//).*@", r"\1:***@", url)


def check_broker(config: Config) -> None:
    """Raise `ConfigError` if the broker's URL, or the authority that verifies it, can't be used."""
    if config.mqtt.url is not None:
        Address.parse(config.mqtt.url, config.broker).context()
