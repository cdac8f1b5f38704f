"""``mancala tune``: weights for the evaluation, fitted to values or evolved by play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer

from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import Interruption, end_interrupted, until_interrupted
from ...console.options import JsonOption, is_typed, rules_of
from ...console.playing import ProcessOptions, even, failures

if TYPE_CHECKING:
    from mancala.engine.evaluation.weights import Weights
    from mancala.engine.tuning.cmaes_tuner import Parameter
    from mancala.server.rating.sprt import Sprt

    from ...tuning import fit as tune_fit
    from ...tuning.fit import LabelPlan
    from ...tuning.play import PlayOrder, SelfPlayPlan

FEWEST_POSITIONS: Final = 500
SIX_ONLY: Final = ("positions", "searched", "net", "tables")
RULES: Final = ["kalah", "kalah:seeds=6"]


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Options of ``--fit``."""

    positions: Annotated[
        int, typer.Option(min=FEWEST_POSITIONS, help="--fit: positions to prove.")
    ] = 80_000
    searched: Annotated[
        int, typer.Option(min=0, help="--fit: positions with more seeds, to search.")
    ] = 50_000
    net: Annotated[
        int, typer.Option(min=0, help="--fit: positions to search briefly, for the net; 0: no net.")
    ] = 400_000
    tables: Annotated[
        int, typer.Option(min=2, max=30, help="--fit: most seeds in the endgame tables.")
    ] = 22
    wide: Annotated[
        int,
        typer.Option(
            min=0,
            help="--fit: train the net that boards of other widths than six pits share, on N "
            "positions; 0: weights of six pits.",
        ),
    ] = 0

    def labels(self, seed: int) -> LabelPlan:
        """Return what the positions are made of."""
        from ...tuning.fit import LabelPlan

        net = 0 if self.wide else self.net
        return LabelPlan(seed, self.positions, self.searched, self.tables, net, self.wide)


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Options of ``--play``."""

    generations: Annotated[int, typer.Option(min=1, help="--play: number of generations.")] = 200
    population: Annotated[
        int, typer.Option(min=4, max=10_000, help="--play: candidates per generation.")
    ] = 40
    games: Annotated[int, typer.Option(min=4, help="--play: games per candidate; even.")] = 20
    nodes: Annotated[int, typer.Option(min=1, help="--play: nodes per move.")] = 300
    rules: Annotated[list[str], typer.Option(help="--play: rules to play by; may be repeated.")] = (
        field(default_factory=RULES.copy)
    )
    only: Annotated[
        str | None, typer.Option(help="--play: tune only 'weights' or only 'search'.")
    ] = None
    sprt: Annotated[
        tuple[float, float],
        typer.Option(help="--play: Elo under H0 and under H1 in the final test."),
    ] = (0.0, 10.0)
    test_games: Annotated[
        int, typer.Option(min=2, help="--play: most games in the final test.")
    ] = 20_000

    def plan(self, seed: int, weights: Path | None) -> tuple[SelfPlayPlan, Weights]:
        """Return what is played, and the weights that it begins from."""
        from ...tuning.play import SelfPlayPlan

        start, variants = _start(weights, self.rules)
        plan = SelfPlayPlan(
            seed=seed,
            generations=self.generations,
            population=self.population,
            games=even(self.games),
            nodes=_few(self.nodes),
            rules=variants,
            start=start.fingerprint,
            parameters=_parameters(start, self.only),
        )
        return plan, start


FIT_ONLY: Final = tuple(each.name for each in fields(FitOptions))
PLAY_ONLY: Final = tuple(each.name for each in fields(PlayOptions))


def command(
    context: typer.Context,
    *,
    fit: Annotated[
        bool, typer.Option("--fit", help="Fit the weights to values of positions.")
    ] = False,
    play: Annotated[bool, typer.Option("--play", help="Evolve the weights in games.")] = False,
    seed: Annotated[
        int, typer.Option(help="Random seed; the same seed gives the same weights.")
    ] = 1,
    out: Annotated[Path, typer.Option(help="The weights file to write.")] = Path("weights.json"),
    resume: Annotated[
        Path | None,
        typer.Option(help="Directory that keeps the run; continues from what it holds."),
    ] = None,
    place: ProcessOptions,
    fitting: FitOptions,
    weights: Annotated[
        Path | None,
        typer.Option(
            help="--play: weights to begin from; default: the shipped ones. --fit: weights whose "
            "features are kept, so that only a net is trained, with theirs as a guide."
        ),
    ] = None,
    playing: PlayOptions,
    json: JsonOption = False,
) -> None:
    """Find weights for the evaluation, by fitting or by playing.

    With --play the file is written only if the new weights pass a test against the old ones.
    """
    if fit == play:
        console.fail("give either --fit or --play")
    if out.is_dir():
        console.fail(f"--out: {out} is a directory")
    _refuse(context, PLAY_ONLY if fit else FIT_ONLY, "--play" if fit else "--fit")
    if fit:
        from ...tuning.fit import FitOrder

        _expect_one_width(context, fitting, weights)
        _fit(FitOrder(fitting.labels(seed), out, weights, resume, place, json), json=json)
        return
    from ...tuning.play import PlayOrder

    plan, start = playing.plan(seed, weights)
    order = PlayOrder(
        plan=plan,
        start=start,
        weights=weights,
        home=resume or out.with_suffix(".tuning"),
        out=out,
        sprt=_test(playing.sprt),
        test_games=even(playing.test_games),
        place=place,
        command=f"{_command(context)} (from: {start.provenance})",
    )
    _play(order, f"{_command(context)} --out {quote(str(out))}", json=json)


def _expect_one_width(context: typer.Context, fitting: FitOptions, weights: Path | None) -> None:
    """Refuse options that belong to boards of another width."""
    if 0 < fitting.wide < FEWEST_POSITIONS:
        console.fail(f"--wide must be at least {FEWEST_POSITIONS}, or 0 for six pits")
    if fitting.wide:
        _refuse(context, SIX_ONLY, "--fit without --wide")
    elif weights is not None:
        _refuse(context, ("positions", "searched"), "--fit without --weights")


def _refuse(context: typer.Context, names: Sequence[str], owner: str) -> None:
    """Refuse options that belong to the other method."""
    for name in names:
        if is_typed(context, name):
            console.fail(f"--{name.replace('_', '-')} can only be used with {owner}")


def _fit(order: tune_fit.FitOrder, *, json: bool) -> None:
    from ...tuning import fit as tune_fit

    with (
        until_interrupted() as interruption,
        failures(),
        console.failing_on(OSError, ValueError),
        console.bad_input(FileExistsError, NotADirectoryError),
    ):
        result = tune_fit.run(order)
    if interruption.happened:
        keep = order.keep
        _end(
            f"the labels so far are in {keep}" if keep else "without --resume no labels are kept",
            {"labels": str(keep) if keep else None},
            interruption,
            json=json,
        )
    console.show(result, tune_fit.text(result), json=json)


def _play(order: PlayOrder, again: str, *, json: bool) -> None:
    from ...tuning import play as tune_play

    for path in (order.home, order.weights):
        if "," in str(path):
            console.fail(f"a path with a comma cannot be used here: {path}")
    with (
        until_interrupted() as interruption,
        console.failing_on(OSError, ValueError),
        failures(),
        console.bad_input(FileExistsError, NotADirectoryError),
    ):
        result = tune_play.run(order, quiet=json)
    if interruption.happened:
        _end(
            f"continue with: {again} --resume {quote(str(order.home))}",
            {"generations": tune_play.generations_in(order.home), "run": str(order.home)},
            interruption,
            json=json,
        )
    console.show(result, tune_play.text(result), json=json)
    if not result["installed"]:
        test = result["test"]
        console.fail(
            f"the new weights did not pass: {test['verdict'] or 'no verdict'} after "
            f"{quantity(test['games'], 'game')}, LLR {test['llr']:+.2f}; {order.out} is not"
            f" written, {result['weights']} keeps them",
            code=console.FAILED,
        )


def _end(
    what_now: str, so_far: dict[str, Any], interruption: Interruption, *, json: bool
) -> NoReturn:
    """Print what an interrupted run has, and exit."""
    if json:
        console.emit(interruption.marked(so_far))
    end_interrupted(what_now)


def _start(file: Path | None, rules: Sequence[str]) -> tuple[Weights, tuple[Rules, ...]]:
    from mancala.engine.evaluation.weights import Weights, shipped

    variants = tuple(dict.fromkeys(map(rules_of, rules)))
    with console.bad_input(ValueError, OSError):
        weights = shipped() if file is None else Weights.load(file)
    if len({replace(variant, seeds=1) for variant in variants}) > 1:
        console.fail("the --rules may differ only in the seeds per pit")
    if not weights.fits(variants[0]):
        if file is not None:
            console.fail(
                f"{file} has weights for rows of another length than"
                f" {quantity(variants[0].pits, 'pit')}"
            )
        weights = Weights()  # as the engine itself does on such a board
    return weights, variants


def _few(nodes: int) -> int:
    from mancala.engine.search.fixed_nodes import MOST_NODES

    if nodes > MOST_NODES:
        console.fail(f"--nodes must be at most {MOST_NODES}")
    return nodes


def _parameters(start: Weights, only: str | None) -> tuple[Parameter, ...]:
    from mancala.engine.evaluation.search_options import SearchOptions
    from mancala.engine.tuning.cmaes_tuner import ParameterPlace, parameters_of

    if only is not None and only not in list(ParameterPlace):
        console.fail(f"--only must be {' or '.join(ParameterPlace)}, not {only!r}")
    places = tuple(ParameterPlace) if only is None else (ParameterPlace(only),)
    return parameters_of(start, start.search or SearchOptions(), places)


def _test(bounds: tuple[float, float]) -> Sprt:
    from mancala.server.rating.sprt import Sprt

    with console.bad_input(at="--sprt"):
        return Sprt(*bounds)


def _command(context: typer.Context) -> str:
    """Return a command line with every option that affects the result."""
    words = ["mancala tune --play", f"--seed {context.params['seed']}"]
    for name in ("weights", *PLAY_ONLY):
        if is_typed(context, name):
            value = context.params[name]
            for one in value if isinstance(value, list) else [value]:
                given = one if isinstance(one, tuple) else (one,)
                words += [f"--{name.replace('_', '-')}", *(quote(str(part)) for part in given)]
    return " ".join(words)
