"""Players that were written for other platforms: OpenSpiel's bots, Kaggle's agents, policies.

A bot of **OpenSpiel** (``openspiel:FILE.py:NAME``) has ``step(state)``; it asks a state what is
legal and applies actions to copies of it. The state is a `mancala.bot.players.openspiel_state`. A
bot whose file imports ``pyspiel`` is shown OpenSpiel's own state where there is one, since its
algorithms in C++ take no other.

**Kaggle** (``kaggle:FILE.py:NAME``) has agents ``agent(observation, configuration)``. What they are
shown, and what they may answer, is that of ``open_spiel_mancala`` in kaggle-environments 1.33.2: a
first call without a position, whose answer is dropped; then pits as OpenSpiel's actions, the board
as JSON in ``observationString``, no legal actions, and the whole game in
``serializedGameAndState`` where it is known. An answer but ``{"submission": ACTION}`` loses there,
and so it does here.

A **policy** (``policy:FILE.py:NAME``) is a function from observations and masks to pits, as
`mancala.env` has it for many games, or an object with ``predict``, such as a model of
Stable-Baselines3; one that takes ``action_masks`` (sb3-contrib's MaskablePPO) is given them. It is
asked about one game at a time.
"""

import base64
import inspect
import json
import operator
import struct
import sys
from collections.abc import Callable
from typing import Any, Final

from mancala.protocol.messages import Reason
from mancala.protocol.player import PlayerError
from mancala.protocol.text import shortened

from ..client.bot import Bot, FunctionBot, Game, GameResult, Turn
from ..client.errors import raised
from .history import History
from .openspiel_state import KalahState, board_fields, pit_of, state_of

MOST_GAMES: Final = 1000
"""Games whose moves a bot remembers at a time."""
LONGEST_ANSWER: Final = 100
"""Characters of a wrong answer that are quoted."""
MASKS: Final = "action_masks"


class _StateBot(FunctionBot):
    """A bot that is asked about states: it remembers what was played in each of its games."""

    def __init__(
        self, ask: Callable[[Turn, KalahState], int], begin: Callable[[Turn], object]
    ) -> None:
        super().__init__(self._answer)
        self._ask = ask
        self._begin = begin
        self._histories: dict[str, History] = {}

    def game_started(self, game: Game) -> None:
        """Begin a history."""
        self._histories[game.id] = History()
        if len(self._histories) > MOST_GAMES:
            del self._histories[next(iter(self._histories))]

    def game_over(self, result: GameResult) -> None:
        """Forget a game."""
        self._histories.pop(result.game, None)

    def _answer(self, turn: Turn) -> int:
        history = self._histories.setdefault(turn.game.id, History())
        if not history.own:
            self._begin(turn)
        history.see(turn.board)
        action = self._ask(turn, state_of(turn.board, history, turn.ply))
        pit = pit_of(turn.rules, turn.board.player, action)
        if turn.board.may_sow(pit):
            history.play(turn.board, pit)
        return pit


def openspiel_bot(found: Any) -> Bot:  # noqa: ANN401  # the author's
    """Return a bot that asks ``found.step``, or ``found`` itself, about states."""
    step = getattr(found, "step", found)
    if not callable(step):
        raise TypeError("neither a function nor a bot with step(state)")

    def ask(_turn: Turn, state: KalahState) -> int:
        return int(step(_openspiels(state)))

    restart = getattr(found, "restart", None)
    return _StateBot(ask, lambda _turn: restart() if restart is not None else None)


def _openspiels(state: KalahState) -> Any:  # noqa: ANN401  # pyspiel.State
    pyspiel = sys.modules.get("pyspiel")
    if pyspiel is None or not state.is_known:
        return state
    own = pyspiel.load_game("mancala").new_initial_state()
    for action in state.history():
        own.apply_action(action)
    return own


class _KaggleFields(dict[str, Any]):
    """A dictionary whose keys are attributes as well."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever stands there
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def kaggle_bot(agent: Callable[..., Any]) -> Bot:
    """Return a bot that asks an agent as Kaggle does, with as many arguments as its code takes."""
    code = getattr(agent, "__code__", None)
    most = 2 if code is None else code.co_argcount

    def begin(turn: Turn) -> None:
        try:
            agent(*(_KaggleFields(_OUTSIDE), configuration(turn))[:most])
        except Exception as error:
            detail = f"the agent raised {raised(error)} in Kaggle's first call, without a position"
            raise PlayerError(detail, reason=Reason.DISCONNECTED) from error

    def ask(turn: Turn, state: KalahState) -> int:
        answer = agent(*(observation(state), configuration(turn))[:most])
        try:
            return operator.index(answer["submission"])
        except (TypeError, KeyError, IndexError):
            shown = shortened(repr(answer), LONGEST_ANSWER)
            detail = (
                f'the agent answered {shown}; Kaggle takes {{"submission": ACTION}} and no other'
            )
            raise PlayerError(detail, reason=Reason.ILLEGAL, received=shown) from None

    return _StateBot(ask, begin)


_OUTSIDE: Final = {"remainingOverageTime": 0.0, "step": 0}
"""What an observation holds outside of a game."""


def observation(state: KalahState) -> _KaggleFields:
    """Return a state as Kaggle's environment shows it to the player to move."""
    player = state.current_player()
    seen = {
        "observationString": json.dumps(board_fields(state)),
        "currentPlayer": player,
        "playerId": player,
        "isTerminal": False,
        **({"serializedGameAndState": serialized(state)} if state.is_known else {}),
    }
    return _KaggleFields({**_OUTSIDE, **seen, "step": state.move_number() + 1})


_HEAD: Final = (
    "# Automatically generated by OpenSpiel SerializeGameAndState\n[Meta]\nVersion: 1\n\n"
)


def serialized(state: KalahState) -> str:
    """Return a game as OpenSpiel's ``serialize_game_and_state`` writes it for Kaggle's proxy."""
    own = f"{_HEAD}[Game]\nmancala()\n[State]\n{state.serialize()}\n".encode()
    is_short = len(own) < 1 << 8
    size = struct.pack("<BB", 0x8C, len(own)) if is_short else struct.pack("<cI", b"X", len(own))
    body = b"}\x94\x8c\x0b__wrapped__\x94\x8c\x07pyspiel\x94\x8c\x05State\x94\x93\x94)\x81\x94"
    body += size + own + b"\x94bs."
    fields = base64.b64encode(b"\x80\x04\x95" + struct.pack("<Q", len(body)) + body).decode()
    played = ",".join(f"{player}:{action}" for player, action in state.full_history())
    return (
        f"{_HEAD}[Game]\nmancala_proxy()\n[State]\nhistory={played}\n"
        f"move_number={state.move_number()}\n__dict__={fields}\n"
    )


def configuration(turn: Turn) -> _KaggleFields:
    """Return the terms of a game as Kaggle's defaults; the times are those of the turn."""
    return _KaggleFields(
        episodeSteps=1100,
        actTimeout=turn.budget_s,
        runTimeout=turn.deadline_s,
        openSpielGameString="mancala_proxy()",
        openSpielGameName="mancala",
        openSpielGameParameters={},
        observationType="observation",
        useOpenings=False,
        useImage=False,
        includeLegalActions=False,
        loadPresetHands=False,
        metadata={},
        strictMode=False,
        savePrompt=True,
        saveResponse=True,
        freeForm=False,
        includeGenerateReturns=False,
        illegalMoveForfeit=True,
    )


def policy_bot(found: Any) -> Bot:  # noqa: ANN401  # the author's
    import numpy as np  # noqa: PLC0415  # an extra brings it

    from .seen import mask, view  # noqa: PLC0415  # loads numpy

    predict = getattr(found, "predict", None)
    if predict is None and not callable(found):
        raise TypeError("neither a function nor a model with predict()")
    takes_masks = predict is not None and MASKS in inspect.signature(predict).parameters

    def choose(turn: Turn) -> int:
        board = turn.board
        seen = view(board, board.player)[np.newaxis]
        masks = mask(board, board.player, turn.rules)[np.newaxis].astype(bool)
        if predict is None:
            pits = found(seen, masks)
        else:
            pits, _ = predict(seen, deterministic=True, **({MASKS: masks} if takes_masks else {}))
        return int(np.asarray(pits).reshape(-1)[0])

    return FunctionBot(choose)
