"""What harnesses find the questions by is there; ``make harnesses`` runs the harnesses."""

import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from mancala.bot.yardstick import LM_EVAL
from mancala.yardstick import SPLITS, questions
from tests.bot.yardstick.harnesses import POSITIONS, last_legal
from tests.sources import ROOT


def test_what_harnesses_look_for_is_there() -> None:
    """The module of the entry point, the taskset's, OpenEnv's, and the folder of lm-eval."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    [entry] = project["entry-points"]["inspect_ai"].values()
    entry, _, _extra = entry.partition(" ")
    for module in (entry, "mancala_arena", "mancala.bot.yardstick.openenv_app"):
        assert find_spec(module) is not None, module
    assert (LM_EVAL / "hard_positions.yaml").is_file()


def test_an_answer_loses_in_lm_eval_what_it_loses_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter as lm-eval calls it, with a list in place of a data set."""
    stub = SimpleNamespace(Dataset=SimpleNamespace(from_list=list))
    monkeypatch.setitem(sys.modules, "datasets", stub)
    name = "mancala.bot.yardstick.lm_eval_task.hard_positions"
    monkeypatch.delitem(sys.modules, name, raising=False)
    task = import_module(name)
    monkeypatch.delitem(sys.modules, name)
    for split in SPLITS:
        docs = task.splits()[split][:POSITIONS]
        for doc, question in zip(docs, questions(split, limit=POSITIONS), strict=True):
            answer = last_legal(question.prompt)
            assert doc["prompt"] == question.prompt
            assert task.results(doc, [answer]) == question.mark(answer).metrics
