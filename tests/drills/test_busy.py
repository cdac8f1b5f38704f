"""The drill that runs tests on a busy machine."""

from pathlib import Path

from tests.drills.busy import drill

TESTS = """
def test_that_passes():
    pass

def test_that_fails():
    assert False
"""


def test_failing_tests_are_named(tmp_path: Path) -> None:
    """The report counts the tests and lists those that failed."""
    (tmp_path / "test_some.py").write_text(TESTS)
    report = drill([str(tmp_path), f"--rootdir={tmp_path}", "-c", "/dev/null"], loops=1)
    assert not report.ok
    assert report.figures["tests"] == 2
    assert [name.split("::")[1] for name in report.figures["failed"]] == ["test_that_fails"]
