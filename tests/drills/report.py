"""A drill's report: one JSON object, and an exit code for its promises."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from inspect import Parameter, signature
from math import ceil
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from mancala.protocol import codec
from mancala.scripts.console import output as console
from mancala.scripts.console.options import with_parameters
from tests.drills.databases import StoreOption, database

SeedOption = Annotated[int, typer.Option("--seed", help="Seed of all random choices.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the JSON object on one line.")]


@dataclass(frozen=True, slots=True)
class DrillReport:
    """The result of a drill.

    Attributes:
        figures: what was measured; a unit stands in each name.
        promises: whether each was kept, under a name that says what was promised.
    """

    drill: str
    seed: int
    figures: Mapping[str, Any]
    promises: Mapping[str, bool]

    @property
    def ok(self) -> bool:
        return for_each(self.promises.values())


def for_each(kept: Iterable[object]) -> bool:
    """Return whether something was kept for each of one or more; nothing proves no promise."""
    found = [*kept]
    return bool(found) and all(found)


def conclude(report: DrillReport, *, json: bool) -> None:
    """Print the report, as one line with ``json``, and leave with 1 when a promise was broken."""
    result = {
        "drill": report.drill,
        "ok": report.ok,
        "seed": report.seed,
        **report.figures,
        "promises": report.promises,
    }
    if json:
        console.emit(result)
    else:
        typer.echo(codec.to_json(result, indent=True).decode())
    if not report.ok:
        raise typer.Exit(console.FAILED)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile of the values by nearest rank; 0 if there are none."""
    ranked = sorted(values)
    return ranked[max(0, ceil(share * len(ranked)) - 1)] if ranked else 0.0


def command_line(
    drill: Callable[..., DrillReport | Coroutine[Any, Any, DrillReport]], *, quiet: str = ""
) -> None:
    """Run a drill with the options given on the command line, and print its report.

    Options are its parameters that are annotated as such, and of one that takes a ``plan``, the
    fields of it. One that takes ``where`` gets the database of ``--store``, one that takes a
    ``program`` mosquitto. Warnings of the logger named ``quiet`` are to be expected.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    def command(
        *, store: StoreOption = "sqlite", json: JsonOption = False, **given: object
    ) -> None:
        with ExitStack() as stack:
            if planned is not None:
                given["plan"] = planned.annotation(**{name: given.pop(name) for name in options})
            if "where" in own:
                given["where"] = stack.enter_context(database(store))
            if "program" in own:
                from tests.drills.mosquitto import mosquitto

                given["program"] = mosquitto()
            if quiet:
                # paho has errors where a broker goes away
                level = logging.CRITICAL if quiet == "mqtt" else logging.ERROR
                logging.getLogger(quiet).setLevel(level)
            report = drill(**given)
            if isinstance(report, Coroutine):
                report = asyncio.run(report)
        conclude(report, json=json)

    own, shared = parameters_of(drill), parameters_of(command)
    planned = own.get("plan")
    options = {} if planned is None else options_of(planned.annotation)
    asked = (each for each in own.values() if get_origin(each.annotation) is Annotated)
    offered = [shared["store"]] * ("where" in own) + [shared["json"]]
    parameters = [*options.values(), *asked, *offered]
    app.command()(with_parameters(command, parameters, drill.__doc__))
    app()


def options_of(plan: Any) -> dict[str, Parameter]:  # noqa: ANN401  # a class of named tuples
    """Return the fields of a plan that are options, as parameters."""
    return {
        name: Parameter(
            name, Parameter.KEYWORD_ONLY, default=plan._field_defaults[name], annotation=kind
        )
        for name, kind in get_type_hints(plan, include_extras=True).items()
        if get_origin(kind) is Annotated
    }


def parameters_of(command: Callable[..., object]) -> dict[str, Parameter]:
    """Return the parameters of a function by name, their types read."""
    return dict(signature(command, eval_str=True).parameters)
