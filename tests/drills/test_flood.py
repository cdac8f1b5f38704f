"""The flood drill takes the kinds of floods that there are."""

import pytest
import typer

from tests.drills import flood


async def test_an_unknown_kind_is_an_error_that_names_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line, and exit code 2."""
    with pytest.raises(typer.Exit) as ended:
        await flood.drill(flood.FloodPlan(kind=["nonsense", "ws-pings"]))
    said = capsys.readouterr().err
    assert (ended.value.exit_code, said.count("\n")) == (2, 1)
    assert "ws-logins" in said
    assert said.endswith("not nonsense\n")
