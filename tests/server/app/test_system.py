"""What the server asks of the system that it runs on."""

import re
from datetime import UTC, datetime
from random import Random

from mancala.server.app.system import System, utc
from tests.sources import run_python


def test_the_time_of_day_is_written_to_the_millisecond_in_utc() -> None:
    """Texts of equal length sort as the instants do."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", utc())
    assert abs((datetime.now(UTC) - datetime.fromisoformat(utc())).total_seconds()) < 60


def test_ids_and_secrets_come_from_the_generator_that_was_handed_in() -> None:
    """A simulation repeats them; their length does not depend on the numbers drawn."""
    first, second = (System(rng=Random(7)) for _ in range(2))
    made = [first.new_id() for _ in range(100)]
    assert made == [second.new_id() for _ in range(100)]
    assert {len(one) for one in made} == {12}
    assert first.new_secret() == second.new_secret()


def test_by_default_nothing_can_be_guessed() -> None:
    """Two systems share no id and no secret, and a secret has 192 bits."""
    first, second = System(), System()
    assert first.new_id() != second.new_id()
    assert first.new_secret() != second.new_secret()
    assert len(first.new_secret()) == 32


def test_a_server_imports_neither_migrations_nor_a_client_of_mqtt() -> None:
    """One is rarely needed, the other in the publisher's process.

    Its page loads no numpy, an order to it no asyncio, and its log nothing for terminals.
    """
    program = (
        "import sys, mancala.server.control.client; print({'asyncio'} & sys.modules.keys());"
        "import mancala.server.web.standalone; print({'numpy'} & sys.modules.keys());"
        "import mancala.server.app.serving; print({'aiomqtt', 'alembic'} & sys.modules.keys());"
        "mancala.server.health.log.StructuredLog(sys.stderr); print({'rich'} & sys.modules.keys())"
    )
    ran = run_python("-c", program)
    assert ran.stdout == "set()\n" * 4
