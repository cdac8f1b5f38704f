"""One scripted answer loses the same in each harness: ``make harnesses``, which fetches them.

Each test runs in an environment that has its harness alone; a newer version that differs fails.
"""

import re
from importlib import import_module
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any, Final

import pytest

from mancala.bot.yardstick import LM_EVAL
from mancala.yardstick import questions

POSITIONS: Final = 12


def last_legal(prompt: str) -> str:
    """Return the scripted answer: the last legal move of those that a question lists."""
    [moves] = re.findall("Legal moves: (.*)", prompt)
    return f'{{"move": {moves.split(", ")[-1]}}}'


def expected() -> float:
    asked = questions("test", limit=POSITIONS)
    return fmean(each.mark(last_legal(each.prompt)).metrics["loss"] for each in asked)


def test_inspect(tmp_path: Path) -> None:
    """Its task, whose entry point needs an installed wheel."""
    inspect, model = import_module("inspect_ai"), import_module("inspect_ai.model")
    task = import_module("mancala.bot.yardstick.inspect_task").hard_positions(limit=POSITIONS)

    def answer(messages: Any, *_more: Any, **_options: Any) -> Any:  # noqa: ANN401  # Inspect's
        output = model.ModelOutput.from_content("mockllm/model", last_legal(messages[-1].text))
        output.usage = model.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    mock = model.get_model("mockllm/model", custom_outputs=answer)
    [log] = inspect.eval(task, model=mock, display="none", log_dir=str(tmp_path))
    losses = [score.metrics["mean"].value for score in log.results.scores if score.name == "loss"]
    assert losses == [pytest.approx(expected())]


def test_lm_eval() -> None:
    """Its task, from the folder."""
    base = import_module("lm_eval.api.model").LM

    def answers(_self: object, requests: Any, **_options: Any) -> list[str]:  # noqa: ANN401  # theirs
        return [last_legal(each.args[0]) for each in requests]

    members = {"generate_until": answers, "loglikelihood": None, "loglikelihood_rolling": None}
    tasks = import_module("lm_eval.tasks").TaskManager(include_path=str(LM_EVAL))
    found = import_module("lm_eval").simple_evaluate(
        model=type("ScriptedModel", (base,), members)(),
        tasks=["mancala_hard_positions"],
        task_manager=tasks,
        limit=POSITIONS,
        bootstrap_iters=0,
    )
    assert found["results"]["mancala_hard_positions"]["loss,none"] == pytest.approx(expected())


def test_openenv() -> None:
    """Its environment; an answer ends the episode."""
    app = import_module("mancala.bot.yardstick.openenv_app")
    environment, losses = app.HardPositionsEnvironment(), []
    for number in range(POSITIONS):
        asked = environment.reset(seed=number, split="test")
        reply = app.ModelReply(text=last_legal(asked.prompt))
        losses.append(environment.step(reply).loss)
        with pytest.raises(ValueError, match="one answer"):
            environment.step(reply)
    assert fmean(losses) == pytest.approx(expected())


async def test_verifiers() -> None:
    """Its taskset, by its name."""
    found = import_module("verifiers.v1.utils.loaders").taskset_class("mancala-arena")
    module = import_module("mancala.bot.yardstick.verifiers_taskset")
    taskset, losses = found(module.HardPositionsConfig(id="mancala-arena", split="test")), []
    for task in taskset.take(POSITIONS):
        trace = SimpleNamespace(last_reply=last_legal(task.data.prompt_text))
        losses.append(await task.loss(trace))
    assert fmean(losses) == pytest.approx(expected())
