"""What a drill prints, and the code it leaves with."""

import orjson
import pytest
import typer

from tests.drills.report import DrillReport, conclude, for_each, quantile


def report(*, good: bool) -> DrillReport:
    return DrillReport("some", seed=7, figures={"games": 3}, promises={"all is well": good})


def test_a_report_is_one_json_object_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With ``--json``: name, seed, figures, promises, and whether all were kept."""
    conclude(report(good=True), json=True)
    assert orjson.loads(capsys.readouterr().out) == {
        "drill": "some",
        "ok": True,
        "seed": 7,
        "games": 3,
        "promises": {"all is well": True},
    }


def test_a_broken_promise_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """The report is printed all the same, and the exit code is 1."""
    with pytest.raises(typer.Exit) as left:
        conclude(report(good=False), json=False)
    assert left.value.exit_code == 1
    assert orjson.loads(capsys.readouterr().out)["ok"] is False


def test_nothing_proves_no_promise() -> None:
    """A course in which no team was marked once kept what is promised of each."""
    assert not DrillReport("some", seed=7, figures={}, promises={}).ok
    assert [for_each(kept) for kept in ([], [1, 0], [1, 1])] == [False, False, True]


@pytest.mark.parametrize(("share", "value"), [(0.0, 1.0), (0.5, 2.0), (0.75, 3.0), (1.0, 4.0)])
def test_a_quantile_is_one_of_the_values(share: float, value: float) -> None:
    """Nearest rank, in whatever order they come."""
    assert quantile([4.0, 1.0, 3.0, 2.0], share) == value


def test_the_quantile_of_nothing_is_zero() -> None:
    """A drill that measured nothing says so elsewhere."""
    assert quantile([], 0.99) == 0.0
