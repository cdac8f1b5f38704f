"""A broker's address, parsed from the settings."""

import pytest

from mancala.server.config.settings import ConfigError, Mqtt
from mancala.server.publish.address import Address, without_password


@pytest.mark.parametrize(
    ("mqtt", "address"),
    [
        (Mqtt(url="mqtt://broker"), Address("broker", 1883, tls=False, user=None, password=None)),
        (Mqtt(url="mqtts://broker"), Address("broker", 8883, tls=True, user=None, password=None)),
        (Mqtt(url="mqtt://a:b%40@h:7"), Address("h", 7, tls=False, user="a", password="b@")),  # noqa: S106  # no secret
        (
            Mqtt(url="mqtt://a:b@h", user="c", password="d"),  # noqa: S106  # no secret
            Address("h", 1883, tls=False, user="c", password="d"),  # noqa: S106  # no secret
        ),
    ],
)
def test_an_address_is_read_from_the_settings(mqtt: Mqtt, address: Address) -> None:
    """Ports have their defaults; a user of its own key goes before the URL's."""
    assert Address.parse(str(mqtt.url), mqtt) == address


def test_an_address_of_another_kind_is_refused() -> None:
    """The error names the key."""
    with pytest.raises(ConfigError, match=r"mqtt\.url"):
        Address.parse("amqp://broker", Mqtt())


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("mqtt://broker:1883", "mqtt://broker:1883"),
        ("mqtts://ann@broker", "mqtts://ann@broker"),
        ("mqtts://ann:s3cret@broker:8883", "mqtts://ann:***@broker:8883"),
        ("mqtt://ann:p@ss:w@broker", "mqtt://ann:***@broker"),
    ],
)
def test_a_broker_is_shown_without_its_password(url: str, shown: str) -> None:
    """What the server prints and logs is read by others, too."""
    assert without_password(url) == shown
