"""What a language model is asked and how its answer is read: the contracts of `llm` players.

A contract describes the position in words and asks for one JSON object, ``{"move": 3}``. Text
around the object is allowed, since models like to reason first. The last object with a move counts,
of those in fenced blocks where one is there; what stands inside such an object does not.

``arena`` numbers the pits as everything here does, from 0 in the mover's sowing direction, and
lists the legal moves. ``kaggle`` puts the same facts as the mancala harness of Kaggle's Game Arena
(kaggle-environments 1.33): the numbers of OpenSpiel (player 0's pits 1 to 6 and store 7, player 1's
pits 8 to 13 and store 0), the way that each player sows, who played the last action, a bonus turn
by name, both scores with the seeds that are left, and no legal moves. After an illegal answer the
question is put afresh, with the end of that answer. ``disguised`` names neither the game nor its
parts: bowls are numbered from the basket, so that what was learnt by heart helps little.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, TypeVar

from mancala.protocol.oware import MOST_IN_VAIN
from mancala.protocol.rules import Board, Capture, Rules
from mancala.protocol.text import quantity

from ..history import History
from ..openspiel_state import action_of, board_fields, state_of

ANSWER_LIMIT_S: Final = 120.0
"""Seconds that a model has for one answer where nothing else is said."""
KEY_VARIABLE: Final = "OPENAI_API_KEY"
"""The environment variable with an endpoint's key where nothing else is said."""
MOVE: Final = "move"
_FENCED: Final = re.compile(r"```\w*\s(.*?)```", re.DOTALL)
READ_CHARACTERS: Final = 1 << 14
"""How many of the last characters of an answer are searched for objects."""
_DECODER: Final = json.JSONDecoder(strict=False)
_WHOLE: Final = re.compile(r"-?[0-9]{1,4}")


T = TypeVar("T")

TAIL: Final = 500
"""How many of the last characters of an illegal answer Kaggle's question repeats."""


class AnswerError(ValueError):
    """An answer with no legal move; its message is put to the model, ``named`` is its number."""

    def __init__(self, message: str, named: int | None = None) -> None:
        self.named = named
        super().__init__(message)


class Contract(ABC):
    name: ClassVar[str]
    asks_afresh: ClassVar[bool] = False
    """Whether a second question begins a conversation of its own."""

    def objection(self, answer: str, fault: AnswerError) -> str:  # noqa: ARG002  # for contracts that quote it
        """Return what is said of an illegal answer."""
        return f"That is no legal move: {fault}. Answer with a legal one."

    @abstractmethod
    def position(self, board: Board, history: History) -> str:
        """Return a position in words."""

    def question(self, board: Board, history: History) -> str:
        """Return the question for a position, with the form of its answer."""
        example = self.number(board, board.legal()[0])
        return (
            f"{self.position(board, history)}\n\n"
            f'Answer with one JSON object and the number of the pit you sow: {{"{MOVE}": '
            f"{example}}}. You may think first; the last such object counts."
        )

    @abstractmethod
    def number(self, board: Board, pit: int) -> int:
        """Return the number by which a pit of the player to move is called."""

    def read(self, board: Board, answer: str) -> int:
        """Return the pit that an answer names, and that may be sown; AnswerError says why not."""
        said = last_member(answer, MOVE, _move)
        pits = {self.number(board, pit): pit for pit in range(board.rules.pits)}
        if said is None:
            raise AnswerError(f'there is no JSON object {{"{MOVE}": NUMBER}} in it')
        if said not in pits:
            raise AnswerError(f"{said} is none of your pits", said)
        if not board.may_sow(pits[said]):
            why = (
                "gives the opponent no seed" if board.pits[board.player][pits[said]] else "is empty"
            )
            raise AnswerError(f"your pit {said} {why}", said)
        return pits[said]


class _ArenaContract(Contract):
    """Our numbers, seen from the mover, with the legal moves."""

    name = "arena"

    def position(self, board: Board, history: History) -> str:
        """Return the rules and a position in words."""
        last = board.rules.pits - 1
        place = (
            f"your store. Opposite your pit i is the opponent's pit {last} - i."
            if not board.rules.oware
            else "the opponent's pit 0."
        )
        lines = [
            f"You are playing {_title(board.rules)}.",
            f"Your pits are numbered 0 to {last} in your sowing direction; pit {last} is next to",
            place,
            in_words(board.rules),
            "",
            self.table(board, history),
        ]
        return "\n".join(lines)

    def table(self, board: Board, history: History) -> str:
        """Return a position in words, without the rules."""
        me, other = board.player, 1 - board.player
        last = board.rules.pits - 1
        lines = [
            f"Your pits 0 to {last}: {_row(board.pits[me])}",
            f"Your store: {board.stores[me]}",
            f"The opponent's pits 0 to {last}, in its own direction: {_row(board.pits[other])}",
            f"The opponent's store: {board.stores[other]}",
            f"The opponent's last moves: {_row(history.theirs) or 'none known'}",
            f"Your earlier moves: {_row(history.own) or 'none'}",
            f"Legal moves: {_row(board.legal())}",
        ]
        return "\n".join(lines)

    def number(self, board: Board, pit: int) -> int:  # noqa: ARG002  # the same in every position
        """Return the pit's own number."""
        return pit


class _KaggleContract(Contract):
    """OpenSpiel's numbers, without the legal moves."""

    name = "kaggle"
    asks_afresh = True

    def objection(self, answer: str, fault: AnswerError) -> str:
        if fault.named is not None:
            return f"You named pit {fault.named}, which is no legal move. Answer with a legal one."
        return (
            f"Your previous answer ended with:\n{answer[-TAIL:]}\nNo JSON object with a move "
            "could be read in it. Answer with a legal move in that form."
        )

    def position(self, board: Board, history: History) -> str:
        """Return a position in words."""
        pits, me = board.rules.pits, board.player
        one, other = board.pits
        seen = board_fields(state_of(board, history))
        own = [self.number(board, pit) for pit in history.own]
        last_0, last_1 = pits, 2 * pits + 1
        stores = ("", "") if board.rules.oware else (f"its store {pits + 1}, ", "its store 0, ")
        lines = [
            f"You play mancala, {_title(board.rules)}, as Player {me}.",
            in_words(board.rules),
            "A player's score is its store and, at the end, the seeds left in its pits.",
            "",
            f"Player 1's pits {last_1} to {pits + 2}: {_row(other[::-1])}",
            f"Player 1's store (0): {board.stores[1]}",
            f"Player 0's pits 1 to {pits}: {_row(one)}",
            f"Player 0's store ({pits + 1}): {board.stores[0]}",
            *(
                f"Player {player}: {store} in the store and {sum(row)} in the pits"
                for player, (store, row) in enumerate(zip(board.stores, board.pits, strict=True))
            ),
            f"Player 0 sows 1 to {last_0}, {stores[0]}{pits + 2} to {last_1}, then 1.",
            f"Player 1 sows {pits + 2} to {last_1}, {stores[1]}1 to {last_0}, then {pits + 2}.",
            f"Move number: {seen['move_number']}",
            f"Last action: {self._last(me, seen['last_action_player'], seen['last_action'])}",
            *(["You earned a bonus turn: it is your move again."] if history.is_again else []),
            f"Your earlier actions: {_row(own) or 'none'}",
        ]
        return "\n".join(lines)

    def _last(self, me: int, player: int | None, action: int | None) -> str:
        you = " (you)" if player == me else ""
        return "none known" if action is None else f"{action}, by Player {player}{you}"

    def number(self, board: Board, pit: int) -> int:
        """Return OpenSpiel's number of a pit of the player to move."""
        return action_of(board.rules, board.player, pit)


class _DisguisedContract(Contract):
    """The same game in other words: bowls counted from the basket, without the legal moves."""

    name = "disguised"

    def question(self, board: Board, history: History) -> str:
        return _disguised(super().question(board, history))

    def objection(self, answer: str, fault: AnswerError) -> str:
        return _disguised(super().objection(answer, fault))

    def position(self, board: Board, history: History) -> str:
        """Return the rules and a position in words."""
        me, pits = board.player, board.rules.pits
        own = [self.number(board, pit) for pit in history.own]
        theirs = [self.number(board, pit) for pit in history.theirs]
        store, opposite = (
            "into your store, ",
            [f"Opposite your pit i is the opponent's pit {pits + 1} - i."],
        )
        if board.rules.oware:
            store, opposite = "", []
        lines = [
            f"Each of two players has {quantity(pits, 'pit')} in a row, and a store at its end.",
            "Your pits are numbered from your store: pit 1 is next to it. Seeds pass from",
            f"pit {pits} down to pit 1, {store}and on along the other row; so do the",
            "opponent's.",
            *opposite,
            in_words(board.rules),
            "",
            f"Your pits {pits} to 1: {_row(board.pits[me])}",
            f"Your store: {board.stores[me]}",
            f"The opponent's pits {pits} to 1: {_row(board.pits[1 - me])}",
            f"The opponent's store: {board.stores[1 - me]}",
            f"The opponent's last moves: {_row(theirs) or 'none known'}",
            f"Your earlier moves: {_row(own) or 'none'}",
        ]
        return "\n".join(lines)

    def number(self, board: Board, pit: int) -> int:
        """Return how far a pit is from its store."""
        return board.rules.pits - pit


_DISGUISES: Final = {
    "sows": "drops",
    "sown": "dropped",
    "sow": "drop",
    "captured": "taken",
    "capture": "take",
    "store": "basket",
    "seed": "marble",
    "pit": "bowl",
    "row": "line",
}
_DISGUISED: Final = re.compile(rf"\b({'|'.join(_DISGUISES)})(?=s?\b)", re.IGNORECASE)


def _disguised(text: str) -> str:
    def other(found: re.Match[str]) -> str:
        word = _DISGUISES[found[0].lower()]
        return word.capitalize() if found[0][0].isupper() else word

    return _DISGUISED.sub(other, text)


ARENA: Final = _ArenaContract()
CONTRACTS: Final[dict[str, Contract]] = {
    contract.name: contract for contract in (ARENA, _KaggleContract(), _DisguisedContract())
}
"""Every contract by name."""


RULES_IN_WORDS: Final = frozenset(
    {"pits", "capture", "relap", "majority", "relay", "keep_one", "even", "empty_takes", "oware"}
)


_OWARE_IN_WORDS: Final = (
    "A move takes all seeds of one of your pits and sows them one by one counter-clockwise into the"
    " other pits of both rows; no seed is sown into a store or back into that pit. If the last seed"
    " makes two or three in an opponent's pit, you capture them, and those of the pits before it,"
    " one after another, as long as these are the opponent's and hold two or three. What would"
    " capture all of the opponent's seeds captures none. If the opponent has no seed, you must give"
    " it one. The game ends when you can't, when a store holds more than half of all seeds, when a"
    " position comes again since the last capture, or after"
    f" {MOST_IN_VAIN} moves without one; the seeds left go to their row's owner. The fuller store"
    " wins."
)


def _title(rules: Rules) -> str:
    return f"{'Oware' if rules.oware else 'Kalah'}({rules.pits}, {rules.seeds})"


def in_words(rules: Rules) -> str:
    """Return the rules as sentences; UnknownRuleError where one in force has none."""
    rules.require_known(RULES_IN_WORDS, "the prompt")
    if rules.oware:
        return _OWARE_IN_WORDS
    empty = (
        "is captured even when the opposite pit is empty"
        if rules.capture is Capture.ALWAYS
        else "stays when the opposite pit is empty"
    )
    sentences = [
        "A move takes all seeds of one of your pits and sows them one by one counter-clockwise,",
        "your own store included and the opponent's store left out.",
    ]
    if rules.keep_one:
        sentences.append("The first of several seeds falls back into its pit.")
    if rules.relay:
        sentences.append("A last seed that falls into a pit with seeds is sown on with them.")
    sentences.append("If the last seed falls into your store, you move again.")
    if rules.capture is not Capture.NONE:
        sentences += [
            "If it falls into an empty pit of yours, it goes to your store together with the seeds",
            f"of the opposite pit; it {empty}.",
        ]
    if rules.even:
        sentences.append("If it makes an opponent's pit even, you capture the seeds of that pit.")
    takes = "the player whose row is empty" if rules.empty_takes else "their row's owner"
    sentences += [
        f"The game ends when either row is empty; the seeds left go to {takes}.",
        "The fuller store wins.",
    ]
    if rules.relap:
        sentences.append("If the last seed falls into the pit it came from, you move again.")
    if rules.majority:
        sentences.append("The game also ends when a store holds more than half of all seeds.")
    return " ".join(sentences)


def _row(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def last_member(answer: str, name: str, read: Callable[[Any], T | None]) -> T | None:
    """Return a member of the last object that has it, in fenced blocks first; None without any."""
    for text in ("\n".join(_FENCED.findall(answer)), answer):
        values = map(read, _members(text[-READ_CHARACTERS:], name))
        if found := [value for value in values if value is not None]:
            return found[-1]
    return None


def _members(text: str, name: str) -> Iterator[Any]:
    """Yield the member of each balanced object that has it, and stands in no other such object."""
    at = text.find("{")
    while at >= 0:
        end = at + 1
        with suppress(ValueError, RecursionError):
            found, after = _DECODER.raw_decode(text, at)
            if name in found:
                end = after
                yield found[name]
        at = text.find("{", end)


def _move(value: Any) -> int | None:  # noqa: ANN401  # the model's
    """Return the number of a move; a number may be a text."""
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
