"""What a front gets."""

from mancala.protocol import codec
from mancala.server.config.settings import Config, Limits, Mqtt
from mancala.server.fronts import wire


def test_a_front_gets_no_password_of_the_server() -> None:
    """It gets the settings of its own work."""
    hidden = "hidden"
    config = Config(
        store="postgresql://arena:hidden@db/arena",
        status_token=hidden,
        mqtt=Mqtt(password=hidden),
        limits=Limits(connections=7),
        origins=("https://club.example",),
    )
    settings = wire.settings_of(config, None)
    assert b"hidden" not in codec.to_json(settings)
    given = settings.config
    assert (given.limits, given.origins) == (config.limits, config.origins)
