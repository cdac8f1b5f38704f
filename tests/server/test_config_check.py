"""Mistakes in a configuration that are found without starting a server."""

from __future__ import annotations

import re

import pytest

from server.config.settings import Config, ConfigError, Mqtt
from server.config_check import check


@pytest.mark.parametrize("ca", ["no-such-file.pem", __file__])
def test_an_authority_that_cannot_be_read_is_named(ca: str) -> None:
    """A missing file, or one without certificates, is an error of the settings."""
    mqtt = Mqtt(url="mqtts://broker", ca=ca)
    with pytest.raises(ConfigError, match=re.escape(f"mqtt.ca: {ca}")):
        check(Config(mqtt=mqtt))
