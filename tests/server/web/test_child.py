"""What the web process is given."""

from mancala.protocol import codec
from mancala.server.config.settings import Config, Mqtt
from mancala.server.web.child import web_settings


def test_the_web_process_is_given_no_secrets_of_others() -> None:
    """It had the tokens of fronts and the password of the broker among its settings."""
    config = Config(
        name="arena",
        http_port=8080,
        front_tokens={"paris": "a-secret-of-a-front"},
        status_token="a-secret-of-the-organiser",  # noqa: S106  # a sample
        mqtt=Mqtt(url="mqtt://ann:a-secret-in-a-url@broker", password="a-secret"),  # noqa: S106
        gateways={"clock": {"key": "a-secret-of-a-plug-in"}},
    )
    assert b"secret" not in codec.to_json(web_settings(config))
    assert web_settings(config).http_port == 8080
