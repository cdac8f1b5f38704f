"""``mancala tune``: weights for the evaluation, fitted to positions' values or found by play.

What the two ways do is in `scripts.tuning.fit` and `scripts.tuning.play`.
"""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer

from protocol.rules import Rules
from scripts.console import output as console
from scripts.console.options import JsonOption, rules_of
from scripts.processes import contest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.evaluation import Weights
    from engine.tuning.cmaes_tuner import Parameter
    from scripts.tuning import fit as tune_fit
    from scripts.tuning.play import Order
    from server.rating.sprt import Sprt

FEWEST_POSITIONS: Final = 500
FIT_ONLY: Final = ("positions", "searched", "tables")
PLAY_ONLY: Final = (
    *("generations", "population", "games", "nodes", "rules", "weights", "only"),
    *("sprt", "test_games"),
)
RULES: Final = ["kalah", "kalah:seeds=6"]
INTERRUPTED: Final = 130


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tune")(_tune)


def _tune(
    context: typer.Context,
    *,
    fit: Annotated[bool, typer.Option("--fit", help="Fit them to positions' values.")] = False,
    play: Annotated[bool, typer.Option("--play", help="Find better ones in games.")] = False,
    seed: Annotated[int, typer.Option(help="The same seed makes the same weights.")] = 1,
    out: Annotated[Path, typer.Option(help="The weights file to write.")] = Path("weights.json"),
    resume: Annotated[
        Path | None,
        typer.Option(help="A directory that keeps what was done; goes on from what it has."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes; as many as cores.")
    ] = None,
    positions: Annotated[
        int, typer.Option(min=FEWEST_POSITIONS, help="--fit: positions to prove.")
    ] = 80_000,
    searched: Annotated[
        int, typer.Option(min=0, help="--fit: positions of more seeds to search.")
    ] = 50_000,
    tables: Annotated[
        int, typer.Option(min=2, max=22, help="--fit: seeds in the endgame tables.")
    ] = 20,
    generations: Annotated[int, typer.Option(min=1, help="--play: how many.")] = 200,
    population: Annotated[
        int, typer.Option(min=4, max=10_000, help="--play: candidates a generation.")
    ] = 40,
    games: Annotated[int, typer.Option(min=4, help="--play: games a candidate; even.")] = 20,
    nodes: Annotated[int, typer.Option(min=1, help="--play: positions a move.")] = 300,
    rules: Annotated[
        list[str], typer.Option(help="--play: a preset, with changes; may be repeated.")
    ] = RULES,
    weights: Annotated[
        Path | None, typer.Option(help="--play: the file to begin from; the shipped ones if none.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="--play: tune 'weights' or 'search' alone.")
    ] = None,
    sprt: Annotated[
        tuple[float, float], typer.Option(help="--play: Elo under H0 and H1 in the final test.")
    ] = (0.0, 10.0),
    test_games: Annotated[
        int, typer.Option(min=2, help="--play: games in the final test, at most.")
    ] = 20_000,
    json: JsonOption = False,
) -> None:
    """Find weights for the evaluation: fitted to positions' values, or by playing.

    By play, the file is written only when the new weights pass a test against the old ones.
    """
    if fit == play:
        console.fail("say what to tune by: --fit or --play, one of them")
    if out.is_dir():
        console.fail(f"--out: {out} is a directory")
    _refuse(context, PLAY_ONLY if fit else FIT_ONLY, "--play" if fit else "--fit")
    if fit:
        from scripts.tuning.fit import Plan as Labelling

        _fit(Labelling(seed, positions, searched, tables), out, resume, workers, json=json)
        return
    from scripts.tuning.play import Order, Plan

    home = resume if resume is not None else out.with_suffix(".tuning")
    for path in (home, weights):
        if "," in str(path):
            console.fail(f"a player's text takes no path with a comma: {path}")
    start, variants = _start(weights, rules)
    plan = Plan(
        seed=seed,
        generations=generations,
        population=population,
        games=contest.even(games),
        nodes=_few(nodes),
        rules=variants,
        start=start.fingerprint,
        parameters=_parameters(start, only),
    )
    command = _command(context)
    again = f"{command} --out {quote(str(out))} --resume {quote(str(home))}"
    order = Order(
        plan=plan,
        start=start,
        weights=weights,
        home=home,
        out=out,
        sprt=_test(sprt),
        test_games=contest.even(test_games),
        workers=workers,
        command=f"{command} (from: {start.provenance})",
    )
    _play(order, again, json=json)


def _refuse(context: typer.Context, names: Sequence[str], owner: str) -> None:
    """Refuse options that were typed and mean nothing here."""
    for name in names:
        if _is_typed(context, name):
            console.fail(f"--{name.replace('_', '-')} belongs to {owner}")


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _fit(
    plan: tune_fit.Plan, out: Path, keep: Path | None, workers: int | None, *, json: bool
) -> None:
    from scripts.tuning import fit as tune_fit

    try:
        result = tune_fit.run(plan, out, keep=keep, workers=workers, quiet=json)
    except (OSError, ValueError, BrokenExecutor) as error:
        console.fail(str(error), code=console.FAILED)
    except KeyboardInterrupt:
        kept = f"what was labelled is in {keep}" if keep else "only --resume keeps labels"
        _interrupted(kept)
    _tell(result, tune_fit.text, json=json)


def _play(order: Order, again: str, *, json: bool) -> None:
    from scripts.tuning import play as tune_play

    try:
        result = tune_play.run(order, quiet=json)
    except (OSError, ValueError) as error:
        console.fail(str(error), code=console.FAILED)
    except KeyboardInterrupt:
        _interrupted(f"go on with: {again}")
    _tell(result, tune_play.text, json=json)
    if not result["installed"]:
        test = result["test"]
        console.fail(
            f"the new weights did not pass: {test['verdict'] or 'no verdict'} after "
            f"{test['games']} games, LLR {test['llr']:+.2f}; {order.out} is not written, "
            f"{result['weights']} keeps them",
            code=console.FAILED,
        )


def _tell(result: dict[str, Any], text: Callable[[dict[str, Any]], str], *, json: bool) -> None:
    if json:
        console.emit(result)
    else:
        typer.echo(text(result))


def _interrupted(what_now: str) -> NoReturn:
    typer.echo(f"mancala: interrupted; {what_now}", err=True)
    raise typer.Exit(INTERRUPTED)


def _start(file: Path | None, rules: Sequence[str]) -> tuple[Weights, tuple[Rules, ...]]:
    """Read what to begin from and what is played."""
    from engine.evaluation import Weights, shipped

    variants = tuple(dict.fromkeys(map(rules_of, rules)))
    try:
        weights = shipped() if file is None else Weights.load(file)
    except (ValueError, OSError) as error:
        console.fail(str(error))
    if len({replace(variant, seeds=1) for variant in variants}) > 1:
        console.fail("--rules may differ in the seeds a pit alone")
    if not weights.fits(variants[0]):
        if file is not None:
            console.fail(f"{file} has tables for rows of another length than {variants[0].pits}")
        weights = Weights()  # as the engine itself does on such a board
    return weights, variants


def _few(nodes: int) -> int:
    from engine.fixed_nodes import MOST_NODES

    if nodes > MOST_NODES:
        console.fail(f"--nodes must be {MOST_NODES} or less, so that there are many games")
    return nodes


def _parameters(start: Weights, only: str | None) -> tuple[Parameter, ...]:
    from engine.search_options import SearchOptions
    from engine.tuning.cmaes_tuner import Place, parameters_of

    if only is not None and only not in list(Place):
        console.fail(f"--only must be {' or '.join(Place)}, not {only!r}")
    places = tuple(Place) if only is None else (Place(only),)
    return parameters_of(start, start.search or SearchOptions(), places)


def _test(bounds: tuple[float, float]) -> Sprt:
    from server.rating.sprt import Sprt

    try:
        return Sprt(*bounds)
    except ValueError as error:
        console.fail(f"--sprt: {error}")


def _command(context: typer.Context) -> str:
    """Write what decides the result as one would type it."""
    words = ["mancala tune --play", f"--seed {context.params['seed']}"]
    for name in PLAY_ONLY:
        if _is_typed(context, name):
            value = context.params[name]
            for one in value if isinstance(value, list) else [value]:
                given = one if isinstance(one, tuple) else (one,)
                words += [f"--{name.replace('_', '-')}", *(quote(str(part)) for part in given)]
    return " ".join(words)
