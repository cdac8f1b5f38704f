"""A language model as a player, ``llm:MODEL@URL``: any chat endpoint of the OpenAI kind.

The position is put in words by a contract (`contracts`), and the answer is one JSON object. A model
that names no legal move is asked once more, with the reason; after the second such answer its game
is lost. What was asked and answered, the tokens and the cost are reported with the move, so that
they stand in the record.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mancala.protocol.messages import Dialogue, Info, Reason
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules
from mancala.protocol.text import multiline, quantity

from ..history import History
from ..spec import ModelAddress
from .contracts import ANSWER_LIMIT_S, ARENA, KEY_VARIABLE, AnswerError, Contract
from .endpoint import OLD_LIMIT, ChatMessage, EndpointError, LateError, ModelAnswer, ModelEndpoint

_LOGGER: Final = logging.getLogger("mancala.bot")

TRIES: Final = 2
CHECK: Final = "Answer with the one word: ready"
QUOTED_BYTES: Final = 4000
"""How much of a prompt, and of an answer, is reported; both fit into a frame, however escaped."""
CUT: Final = "the limit of tokens cut the answer off (finish_reason=length)"
EFFORT: Final = "reasoning_effort"
PER_TOKENS: Final = 1_000_000
"""Prices are for a million tokens."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a model is asked; `mancala.bot.players.models.options` says what each field means."""

    contract: Contract = ARENA
    limit_s: float = ANSWER_LIMIT_S
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    answer_tokens: int | None = None
    system: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)
    key_variable: str = KEY_VARIABLE
    prompt_price: float | None = None
    answer_price: float | None = None
    most_tokens: int | None = None
    most_cost: float | None = None

    def cost(self, answer: ModelAnswer) -> float | None:
        """Return the price of an answer: the endpoint's own, or computed; None if unknown."""
        if answer.cost is not None or self.prompt_price is None or self.answer_price is None:
            return answer.cost
        price = answer.prompt_tokens * self.prompt_price + answer.answer_tokens * self.answer_price
        return price / PER_TOKENS


class ModelPlayer(Player):
    def __init__(self, address: ModelAddress, options: ModelOptions | None = None) -> None:
        asked = self._options = options or ModelOptions()
        same = {name: getattr(asked, name) for name in ("temperature", "top_p", "seed", EFFORT)}
        wanted = {**same, OLD_LIMIT: asked.answer_tokens, **asked.body}
        given = {key: value for key, value in wanted.items() if value is not None}
        self._endpoint = ModelEndpoint(address, key_variable=asked.key_variable, options=given)
        self._history = History()
        self._tokens = 0
        self._cost = 0.0

    def warm_up(self, rules: Rules = KALAH) -> None:  # noqa: ARG002  # one word is asked for
        """Ask for one word, so that a wrong key, model or address is known before any game.

        An endpoint that refuses is named with its own words; one that is busy may answer later.
        """
        try:
            self._spend(self._endpoint.ask([ChatMessage("user", CHECK)], self._options.limit_s))
        except LateError:
            return
        except EndpointError as error:
            if error.retry_s is None:
                raise PlayerError(error.told, reason=Reason.DISCONNECTED) from None

    def new_game(self, seed: int) -> None:  # noqa: ARG002  # a model has random numbers of its own
        """Forget the last game."""
        self._history = History()

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Ask the model, and once more if it names no legal move."""
        self._check_budget()
        self._history.see(board)
        until = time.monotonic() + min(self._options.limit_s, budget.deadline_s)
        talk = _Talk(self._options)
        talk.ask(self._options.contract.question(board, self._history))
        for _ in range(TRIES):
            answer, is_cut = self._answer(talk, until, budget)
            try:
                pit = self._options.contract.read(board, answer)
            except AnswerError as found:
                fault = AnswerError(f"{found}, and {CUT}") if is_cut else found
                talk.ask_again(self._options.contract.objection(answer, fault))
                refused = fault
            else:
                self._history.play(board, pit)
                return Choice(pit, talk.info())
        raise PlayerError(
            f"the model named no legal move in {TRIES} tries: {refused}",
            reason=Reason.ILLEGAL,
            received=answer,
            info=talk.info(),
        )

    def stop(self) -> None:
        self._endpoint.stop()

    def close(self) -> None:
        self._endpoint.close()

    def _answer(self, talk: _Talk, until: float, budget: Budget) -> tuple[str, bool]:
        try:
            limit_s = 0.0 if budget.is_cancelled() else until - time.monotonic()
            answer = self._endpoint.ask(talk.messages, max(0.0, limit_s))
        except LateError as error:
            raise PlayerError(str(error), reason=Reason.TIMEOUT, info=talk.info()) from None
        except EndpointError as error:
            _LOGGER.warning("%s", error.told)
            raise PlayerError(
                str(error), reason=Reason.DISCONNECTED, is_outage=True, info=talk.info()
            ) from None
        self._spend(answer)
        talk.hear(answer)
        return answer.text, answer.is_cut

    def _spend(self, answer: ModelAnswer) -> None:
        self._tokens += answer.prompt_tokens + answer.answer_tokens
        self._cost += self._options.cost(answer) or 0.0

    def _check_budget(self) -> None:
        tokens, cost = self._options.most_tokens, self._options.most_cost
        if tokens is not None and self._tokens >= tokens:
            raise PlayerError(f"the budget of {quantity(tokens, 'token')} is spent")
        if cost is not None and self._cost >= cost:
            raise PlayerError(f"the budget of {cost:g} is spent")


class _Talk:
    """One conversation about one move."""

    def __init__(self, options: ModelOptions) -> None:
        self._system = [ChatMessage("system", options.system)] if options.system else []
        self.messages = [*self._system]
        self._all: list[ChatMessage] = []
        self._options = options
        self._answers: list[ModelAnswer] = []
        self._began = time.monotonic()

    def ask(self, content: str) -> None:
        self._add(ChatMessage("user", content))

    def ask_again(self, objection: str) -> None:
        """Ask on, or the first question afresh with the objection behind it."""
        if not self._options.contract.asks_afresh:
            self.ask(objection)
            return
        question, self.messages = self.messages[len(self._system)].content, [*self._system]
        self.ask(f"{question}\n\n{objection}")

    def hear(self, answer: ModelAnswer) -> None:
        self._add(ChatMessage("assistant", answer.text))
        self._answers.append(answer)

    def info(self) -> Info:
        costs = [self._options.cost(answer) for answer in self._answers]
        known = [cost for cost in costs if cost is not None]
        dialogue = Dialogue(
            prompt=multiline(self._said("user"), QUOTED_BYTES),
            answer=multiline(self._said("assistant"), QUOTED_BYTES),
            tries=len(self._answers),
            prompt_tokens=sum(answer.prompt_tokens for answer in self._answers),
            answer_tokens=sum(answer.answer_tokens for answer in self._answers),
            cost=sum(known) if len(known) == len(costs) else None,
            cut=sum(answer.is_cut for answer in self._answers),
        )
        return Info(seconds=time.monotonic() - self._began, dialogue=dialogue)

    def _add(self, message: ChatMessage) -> None:
        self.messages.append(message)
        self._all.append(message)

    def _said(self, role: str) -> str:
        return "\n\n".join(content for speaker, content in self._all if speaker == role)
