"""Gateways that settings name."""

import pytest

from mancala.server.config.settings import Config, ConfigError
from mancala.server.net.gateways import wanted


def test_a_gateway_that_no_package_adds_is_named() -> None:
    """With those that there are."""
    config = Config(name="arena", gateways={"telegraph": {}})
    with pytest.raises(ConfigError, match=r"gateways\.telegraph: no package adds it; .*kgp"):
        list(wanted(config))
