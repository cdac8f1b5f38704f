"""Read a configuration from TOML, and check its values."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time
from functools import partial
from pathlib import Path  # noqa: TID251  # the caller names the file
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from mancala.protocol.text import written_text

from .annotations import FILE, marked
from .checks import SCHEME, checked, problem_of_event
from .events import TIMES, EventSettings
from .keys import MOMENT, line_of, located, shown, unknown_key
from .ladders import LadderSettings
from .settings import IN_MEMORY, Config, ConfigError, Section

HERE: Final = Path()
WORD: Final = re.compile(r"[^\s=]{1,20}")
"""What is shown of a line where something is wrong with it."""
OF_NAMES: Final = ("invalid statement", "invalid initial character", "expected ']")
"""Errors before the value, which may be a secret and is never shown."""
NO_DATE: Final = f"no such date or time: write {MOMENT}"
OPEN_TEXT: Final = "a text has no quote at its end"
AGAIN: Final = re.compile(
    r"cannot (declare|redefine namespace|mutate immutable namespace) \(.*\)( twice)?(?= \(at )"
)
DATE: Final = re.compile(r"[0-9](-[0-9]|[Tt ]?[0-9]*:[0-9])")
"""Where the reader of TOML has taken what precedes for a number or a day: a date that cannot be."""
AT: Final = re.compile(r"\(at line (?P<line>[0-9]+), column (?P<column>[0-9]+)\)$")
BACKSLASH: Final = r"a \ in a text: write '…' around it, or \\"
SYNTAX: Final = {
    "invalid value": "no value: write a number, true, false or a text in quotes",
    "expected newline or end of document after a statement": (
        "the value ends and more follows: write a text in quotes, and a setting a line"
    ),
    "invalid date or datetime": NO_DATE,
    "cannot overwrite a value": "a setting is there twice",
    "duplicate inline table key": "a setting is there twice:",
    "expected '=' after a key in a key/value pair": "a setting is written name = value",
    "invalid statement": "no setting: write name = value, and # before a remark",
    "invalid initial character for a key part": "the name of a setting or table is missing",
    "expected ']]' at the end of an array declaration": "a table that begins with [[ lacks its ]]",
    "expected ']' at the end of a table declaration": "a table that begins with [ lacks its ]",
    "unclosed array": "a list lacks a comma or its ]",
    "unclosed inline table": "a table in braces lacks a comma or its }",
    "invalid hex value": BACKSLASH,
    "unescaped '\\' in a string": BACKSLASH,
    r"illegal character '\n'": OPEN_TEXT,
    "unterminated string": OPEN_TEXT,
    'expected "\'"': OPEN_TEXT,
    "expected \"'''\"": OPEN_TEXT,
}
"""What the reader of TOML says, in plain words."""
S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T", LadderSettings, EventSettings)


def load(path: Path, *, is_running: bool = False) -> Config:
    """Read the configuration from a TOML file, for a server that runs from regular files alone."""
    if is_running:
        expect_regular(path)
    with _naming(path):
        return parse(_text_of(path), path.parent, is_running=is_running)


def parse(text: str, folder: Path = HERE, *, is_running: bool = False) -> Config:
    """Read the configuration from TOML; its paths are relative to the folder."""
    read = partial(_with_openings, folder=folder, is_running=is_running)
    document = document_of(text)
    with _at_line_of(text):
        _check_keys(document, Config)
        _pass_clock_on(document)
        _write_times_out(document)
        config = _found_in(folder, _converted(document, Config))
        ladders = tuple(read(ladder, "ladder") for ladder in config.ladder)
        events = tuple(read(event, "event") for event in config.event)
        store = _store_in(folder, config.store)
        config = checked(replace(config, ladder=ladders, event=events, store=store))
        _check_pulses(document)
    return config


def parse_table(content: bytes, kind: type[S]) -> S:
    """Read a table of TOML; ConfigError names its key, line and what is allowed."""
    try:
        text = written_text(content)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    document = document_of(text)
    with _at_line_of(text):
        _check_keys(document, kind)
        return _converted(document, kind)


def event_table(path: Path) -> dict[str, Any]:
    """Return the keys of a new event from a TOML file, with times as text and openings read."""
    with _naming(path):
        table = document_of(_text_of(path))
    _write_times_out({"event": [table]})
    return with_openings(table, path.parent)


def with_openings(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the keys of a new event with the openings of its file instead of the file's name."""
    if (file := table.pop("openings_file", None)) is not None:
        table["openings"] = [*table.get("openings", ()), *_openings_of(folder / str(file))]
    return table


def event_of(table: dict[str, Any], config: Config) -> EventSettings:
    """Return the settings of a new event, checked as those of ``[[event]]`` are."""
    clock = table.get("clock", {})
    if isinstance(clock, dict):
        table = {**table, "clock": {**msgspec.to_builtins(config.clock), **clock}}
    _check_keys(table, EventSettings)
    event = _converted(table, EventSettings)
    if event.openings_file is not None:
        raise ConfigError("openings_file: the openings themselves are wanted, as openings")
    if problem := problem_of_event(event, config):
        raise ConfigError(problem)
    return event


def _pass_clock_on(document: dict[str, Any]) -> None:
    """Complete each ladder's and event's clock by what ``[clock]`` says and it does not."""
    clock = document.get("clock")
    for key in ("ladder", "event"):
        tables = document.get(key)
        for table in tables if isinstance(tables, list) and isinstance(clock, dict) else ():
            own = table.get("clock", {}) if isinstance(table, dict) else None
            if isinstance(own, dict) and isinstance(clock, dict):
                table["clock"] = {**clock, **own}


def _write_times_out(document: dict[str, Any]) -> None:
    """Turn each event's times that TOML read as such into text, and what lacks a day or an hour."""
    events = document.get("event")
    for table in events if isinstance(events, list) else ():
        for key in TIMES if isinstance(table, dict) else ():
            if isinstance(table.get(key), date | time):  # a datetime is a date, too
                table[key] = table[key].isoformat()


def _check_pulses(document: dict[str, Any]) -> None:
    """Refuse a pulse that was set where no two house bots can play; by default there is none."""
    for place, ladder in enumerate(document.get("ladder", ())):
        if ladder.get("pulse_s") and len(ladder.get("house", ())) < 2:
            raise ConfigError(f"ladder[{place}].pulse_s: needs two house bots in ladder.house")


def _store_in(folder: Path, store: str | None) -> str | None:
    if store is None or store == IN_MEMORY or SCHEME.match(store):
        return store
    found = folder / store
    if not _may_be_there(found) and _may_be_there(Path(store)):
        raise ConfigError(
            f"store: {store} is taken from {folder.resolve()} and not from the working directory,"
            f" which has one; move it, or name it {Path(store).resolve()}"
        )
    return str(found)


def _may_be_there(path: Path) -> bool:
    """Return whether a file exists, or can't be asked for, as in a folder of another user."""
    try:
        return path.exists()
    except OSError:
        return True


def _with_openings(table: T, kind: str, *, folder: Path, is_running: bool) -> T:
    if table.openings_file is None:
        return table
    with _naming(f"{kind} {table.name}"):
        found: list[str] = _openings_of(folder / table.openings_file, is_running=is_running)
    return replace(table, openings=(*table.openings, *found), openings_file=None)


def expect_regular(path: Path) -> None:
    """Refuse a pipe, or another file that may never end: a server that runs would wait for it."""
    try:
        is_odd = path.exists() and not path.is_file()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    if is_odd:
        raise ConfigError(f"{path}: no regular file")


def _openings_of(path: Path, *, is_running: bool = False) -> list[str]:
    with _naming(f"openings_file: {path.name}"):
        if is_running:
            expect_regular(path)
        lines = _text_of(path).splitlines()
    named = [line.partition("#")[0].strip() for line in lines]
    return [*filter(None, named)]


def _text_of(path: Path) -> str:
    try:
        return written_text(path.read_bytes())
    except OSError as error:
        raise ConfigError((error.strerror or str(error)).lower()) from None
    except ValueError as error:
        raise ConfigError(str(error)) from None


def document_of(text: str) -> dict[str, Any]:
    """Read TOML; raise `ConfigError` in plain words where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = f"{str(error)[:1].lower()}{str(error)[1:]}"
        reason = AGAIN.sub("a table is there twice", reason)
        if place := AT.search(reason):
            line, column = text.split("\n")[int(place["line"]) - 1], int(place["column"])
            if reason.startswith("expected newline") and DATE.match(line, column - 2):
                reason = f"{NO_DATE} (at line {place['line']})"
            elif reason.startswith(OF_NAMES) and (met := WORD.match(line, column - 1)):
                reason = f"{reason[:-1]}: {met[0]!r})"
        for said, plain in SYNTAX.items():
            reason = reason.replace(said, plain)
        raise ConfigError(f"not TOML: {reason}") from None
    except ValueError:  # of the interpreter, which reads no number of thousands of digits
        raise ConfigError("a number is too long") from None
    except RecursionError:
        raise ConfigError("nested too deeply") from None


def _check_keys(document: dict[str, Any], kind: type) -> None:
    if problem := unknown_key(document, kind):
        raise ConfigError(problem)


def _converted(document: dict[str, Any], kind: type[S]) -> S:
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(_naming_entry(located(error), document, kind)) from None


def _naming_entry(problem: str, document: dict[str, Any], kind: type) -> str:
    table, is_entry, rest = problem.partition("[...]")
    for name, entry in document[table].items() if is_entry and table in document else ():
        try:
            msgspec.convert({**document, table: {name: entry}}, kind)
        except msgspec.ValidationError:
            return f"{table}.{shown(name)}{rest}"
    return problem


@contextmanager
def _at_line_of(text: str) -> Iterator[None]:
    """Add to an error the line of the key that it begins with."""
    try:
        yield
    except ConfigError as error:
        line = line_of(text, str(error).partition(": ")[0])
        raise ConfigError(f"{error}{f' (at line {line})' if line else ''}") from None


@contextmanager
def _naming(place: object) -> Iterator[None]:
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from None


def _found_in(folder: Path, table: S) -> S:
    found: dict[str, object] = {}
    for name in table.__struct_fields__:
        value = getattr(table, name)
        if isinstance(value, Section):
            found[name] = _found_in(folder, value)
        elif value is not None and name in marked(type(table), FILE):
            found[name] = str(folder / value)
    return replace(table, **found)
