"""Workflows and a container for a starter, made of its README's commands."""

import pytest
import yaml

from mancala.bot.starters import LANGUAGES, REPOSITORY, commands_of, starter, workflows


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_file_runs_the_commands_of_the_readme(language: str) -> None:
    """They build, check and rate the bot, and let it play; nothing is left to be filled in."""
    readme = starter(language, name="ada")["README.md"]
    files = workflows(readme)
    assert set(files) == set(REPOSITORY)
    for command in (command for command in commands_of(readme).values() if command):
        assert all(line in readme for line in command.split(" && "))
    steps = yaml.safe_load(files[".github/workflows/bot.yml"])["jobs"]["rate"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    script = yaml.safe_load(files[".gitlab-ci.yml"])["rate"]["script"]
    for found in (runs, script):
        assert {commands_of(readme)[name] for name in ("check", "test")} <= set(found)
        assert any(line.startswith("mancala rate") and "tee rating.txt" in line for line in found)
    assert files["Containerfile"].splitlines()[-1].startswith("CMD ")
    assert not any(f"<{name}>" in text for name in commands_of(readme) for text in files.values())


def test_what_a_starter_does_not_need_is_left_out() -> None:
    """The one in Python is neither installed nor built."""
    files = workflows(starter("python", name="ada")["README.md"])
    assert "apt-get" not in files[".gitlab-ci.yml"]
    assert "sudo" not in files[".github/workflows/bot.yml"]
