"""The reference of the settings, written from their classes."""

import msgspec
import pytest

from docs.settings_reference import TABLES, markdown


@pytest.mark.parametrize("kind", TABLES.values())
def test_every_setting_is_described(kind: type[msgspec.Struct]) -> None:
    """Each key of each table has a row, so a setting without a meaning is noticed."""
    rows = markdown().splitlines()
    for field in msgspec.structs.fields(kind):
        assert any(row.startswith(f"| `{field.encode_name}` | ") for row in rows), field.name


def test_a_row_holds_the_default_as_toml() -> None:
    """Strings are quoted, and a setting without a default shows none."""
    rows = markdown().splitlines()
    assert any(row.startswith('| `host` | `"127.0.0.1"` |  |  | address to listen') for row in rows)
    assert any(row.startswith("| `public_url` |  |  | yes | ") for row in rows)


def test_a_row_holds_the_range_and_whether_a_reload_takes_it_up() -> None:
    """Both are read from the type that the setting is checked by."""
    rows = markdown().splitlines()
    for beginning in (
        "| `port` | `8765` | 0..65535 |  |",
        "| `drain_s` | `5.0` | ≥ 0 | yes |",
        "| `ping_s` | `5.0` | > 0 |  |",
        "| `anchors` |  | -100000..100000 | yes |",
    ):
        assert any(row.startswith(beginning) for row in rows), beginning


def test_every_table_of_the_file_has_a_heading() -> None:
    """A table that is added to the settings is in the reference."""
    assert {"`[play]`", "`[reviewers]`", "`[limits]`", "`[[ladder]]`"} <= TABLES.keys()
