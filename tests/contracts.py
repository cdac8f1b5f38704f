"""``python -m tests.contracts FOLDER``: what a checkout promised that this one does not keep.

Both print what programs may rely on: the documents of the wire, of MQTT and of the HTTP API, the
commands with their options, the settings, players and public names, and the keys of what quick
commands print with ``--json``. Whatever the other checkout has, this one has to have, with the same
value; what is new is no breach. Words for people (descriptions, titles) are not compared.
"""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer

import mancala
from docs import settings_reference
from mancala.scripts.mancala import build

WORDS: Final = {"description", "summary", "title", "example", "examples", "meaning", "version"}
"""Members that are written for people, or differ with every version."""
OF_OURS: Final = "--parent"
"""An option that stood in no help, with which a server once started its own processes."""
BOARD: Final = "<6,0,0,1,0,2,0,1,0,0,1,0,0,2,1>"
QUICK: Final = (
    f"analyze {BOARD} --depth 4",
    f"solve {BOARD}",
    "solve --pits 3 --seeds 2",
    "perft 4",
    f"endgame probe {BOARD}",
    "match random greedy --games 2",
    "tournament random greedy captures --games 2",
    "players",
    "learn tree --depth 2",
    "openings --count 2",
)


def promises() -> dict[str, Any]:
    root = typer.main.get_command(build())
    kinds = ("asyncapi", "openapi", "schemas")
    return {
        **{kind: printed("spec", kind) for kind in kinds},
        "commands": dict(_commands(root, typer.Context(root, info_name="mancala"))),
        "settings": dict(_settings(settings_reference.markdown())),
        "names": _names(),
        "json": {words: _shape(printed(*words.split())) for words in QUICK},
    }


def printed(*words: str) -> Any:  # noqa: ANN401  # JSON of any kind
    command = [sys.executable, "-m", "mancala", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout or json.dumps({"stderr": done.stderr}))


def _commands(group: Any, context: typer.Context) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  # typer's own kind
    for name, command in getattr(group, "commands", {}).items():
        within = typer.Context(command, info_name=name, parent=context)
        yield (
            within.command_path,
            {
                key: {
                    "spelled": sorted(spelled),
                    "type": each.type.name,
                    "choices": sorted(getattr(each.type, "choices", ())),
                    "many": each.nargs != 1 or getattr(each, "multiple", False),
                }
                for key, spelled, each in _parameters(command)
            },
        )
        yield from _commands(command, within)


def _parameters(command: Any) -> Iterator[tuple[str, list[str], Any]]:  # noqa: ANN401  # typer's own kind
    """Yield the parameters, options by their longest spelling, words by their place."""
    words = 0
    for each in command.params:
        if each.param_type_name == "option":
            if OF_OURS not in each.opts:
                yield max(each.opts, key=len), [*each.opts, *each.secondary_opts], each
        else:
            yield f"word {words}", [], each
            words += 1


def _settings(reference: str) -> Iterator[tuple[str, Any]]:
    for table in reference.split("\n### ")[1:]:
        rows = [line.strip("| ").split(" | ") for line in table.splitlines()[4:]]
        yield table.partition("\n")[0], {row[0]: row[1:4] for row in rows if len(row) > 3}


def _names() -> dict[str, Any]:
    return {name: _offered(getattr(mancala, name)) for name in mancala.__all__}


def _offered(value: object) -> Any:  # noqa: ANN401  # JSON of any kind
    if isinstance(value, type):
        return {each: "" for each in dir(value) if not each.startswith("_")}
    if not callable(value):
        return type(value).__name__
    parameters = inspect.signature(value).parameters.values()
    return {each.name: [each.kind.name, each.default is each.empty] for each in parameters}


def _shape(value: Any) -> Any:  # noqa: ANN401  # JSON of any kind
    """Return JSON with the kind of each value in its place; of a list, what its items have."""
    if isinstance(value, dict):
        return {key: _shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shape(each) for each in value[:1]]
    return "number" if isinstance(value, int | float) else type(value).__name__


def breaches(old: Any, new: Any, place: str = "") -> Iterator[str]:  # noqa: ANN401  # JSON of any kind
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield f"{place}/{key}: is gone"
            elif key not in WORDS or isinstance(value, dict):
                yield from breaches(value, new[key], f"{place}/{key}")
    elif isinstance(old, list) and isinstance(new, list):
        for each in old:
            alike = [other for other in new if _name(other) == _name(each)] or [None]
            found = [[*breaches(each, other, f"{place}/{_name(each)}")] for other in alike]
            yield from min(found, key=len)
    elif old != new:
        yield f"{place}: {old!r} became {new!r}"


def _name(value: Any) -> str:  # noqa: ANN401  # JSON of any kind
    if not isinstance(value, dict):
        return str(value)
    return str(next((value[key] for key in ("name", "$ref", "const", "type") if key in value), ""))


def main(other: Path) -> None:
    """Compare this checkout with another one, whose environment may be ours."""
    own, program = (promises(), other / ".venv" / "bin" / "python")
    python = str(program if program.exists() else sys.executable)
    environment = {**os.environ, "PYTHONPATH": str(other)}
    command = [python, "-P", str(Path(__file__).resolve()), "--print"]
    done = subprocess.run(
        command, cwd=other, env=environment, capture_output=True, text=True, check=True
    )
    found = list(breaches(json.loads(done.stdout), own))
    typer.echo("\n".join(found) or "every promise is kept")
    raise typer.Exit(bool(found))


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(json.dumps(promises()))
    else:
        typer.run(main)
