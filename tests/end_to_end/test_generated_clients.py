"""The documents for programs: official parsers accept them, and what is generated compiles."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from mancala.protocol import asyncapi, codec
from mancala.server.web.api import openapi
from tests import node
from tests.sources import ROOT

DATA: Final = ROOT / "tests" / "data" / "documents"


def run(folder: Path, *command: str, **environment: str) -> None:
    """Run a program; its output is shown when it fails."""
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a generator made of the documents, after parsers have checked them."""
    folder = node.prepare(tmp_path_factory.mktemp("documents"))
    shutil.copytree(DATA, folder, dirs_exist_ok=True)
    node.npm(folder, "install")
    (folder / "asyncapi.json").write_bytes(codec.to_json(asyncapi.document()))
    (folder / "openapi.json").write_bytes(codec.to_json(openapi.document()))
    run(folder, "node", "generate.js")
    return folder


def test_every_type_has_a_name(generated: Path) -> None:
    """No generated type is called AnonymousSchema."""
    names = {path.stem for path in (*generated.glob("typescript/*"), *generated.glob("go/*"))}
    assert {"Turn", "Move", "Welcome", "GameResult"} <= names
    assert not [name for name in names if "Anonymous" in name]


def test_the_typescript_client_compiles(generated: Path) -> None:
    """A program that uses the generated types is right by TypeScript's strictest rules."""
    options = ("--noEmit", "--strict", "--target", "es2022", "--module", "es2022")
    resolution = ("--moduleResolution", "bundler", "--types", "node", "--skipLibCheck")
    run(generated, "npx", "--no-install", "tsc", *options, *resolution, "use.ts")


def test_the_go_client_compiles(generated: Path) -> None:
    """All generated types are one package, with a function that uses them."""
    if shutil.which("go") is None:
        node.skip("go is not installed")
    shutil.copy(generated / "use.go", generated / "go")
    run(generated / "go", "go", "build", ".", GO111MODULE="off")
