"""Build, check and run the programs of a folder, each in a sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...console import output as console
from ...console.options import JsonOption, spread_options
from ...console.seat import check_server

if TYPE_CHECKING:
    from ...hosting.admission import Admission
    from ...hosting.host import HostedFolder
    from ...hosting.playing import HostingTerms
    from ...sandbox.limits import SandboxLimits


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("host")(spread_options(_host))


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """Options: what each program may use."""

    memory: Annotated[int, typer.Option(min=16, help="Memory of a bot, in MiB.")] = 512
    cpu: Annotated[int, typer.Option(min=1, help="Processor time of a run, in seconds.")] = 600
    processes: Annotated[
        int, typer.Option(min=4, help="Processes and threads of a bot at a time.")
    ] = 128
    disk: Annotated[
        int, typer.Option(min=1, help="Size of a bot's folder, and of its /tmp, in MiB.")
    ] = 64
    packages: Annotated[
        Path | None,
        typer.Option(help="Libraries that bots find: a folder with python, node_modules or java."),
    ] = None
    trusted: Annotated[
        bool, typer.Option("--trusted", help="Run them without a sandbox, as the user that calls.")
    ] = False

    def limits(self) -> SandboxLimits:
        """Return the limits of a run, if this machine has the sandbox that is wanted."""
        from ...sandbox.limits import SandboxLimits
        from ...sandbox.machine import require_sandbox

        if not self.trusted:
            require_sandbox()
        if self.packages is not None and not self.packages.is_dir():
            console.fail(f"{self.packages} is no folder")
        return SandboxLimits(
            memory_mb=self.memory,
            cpu_s=self.cpu,
            processes=self.processes,
            disk_mb=self.disk,
            packages=str(self.packages.resolve()) if self.packages is not None else "",
            isolated=not self.trusted,
        )


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options: how a program is checked before it plays."""

    movetime: Annotated[
        float, typer.Option(min=0.05, help="Seconds for each move while a bot is checked.")
    ] = 1.0
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds for a bot to connect while it is checked.")
    ] = 60.0
    only: Annotated[
        list[str] | None,
        typer.Option(help="Check only this situation of check-bot; may be repeated."),
    ] = None

    def admission(self, limits: SandboxLimits) -> Admission:
        """Return the check of programs that run under these limits."""
        from ...conformance import programs
        from ...conformance.robot import Times
        from ...conformance.situations import SITUATIONS
        from ...hosting.admission import Admission

        for name in self.only or ():
            if name not in {**SITUATIONS, **programs.SITUATIONS}:
                console.fail(f"no situation {name!r}; 'mancala check-bot' lists them")
        times = Times(move_s=self.movetime, come_s=self.patience)
        return Admission(limits, times, self.only or ())


def _host(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder or a zip for each bot, with bot.toml.")
    ],
    *,
    server: Annotated[
        str | None,
        typer.Option(help="The server to play on: ws://HOST:PORT. Without it, check only."),
    ] = None,
    ladder: Annotated[str, typer.Option(help="The ladder that the bots join.")] = "main",
    games: Annotated[
        int, typer.Option(min=1, max=1000, help="Games after which a new version may enter.")
    ] = 4,
    once: Annotated[
        bool, typer.Option("--once", help="End when each bot has played --games.")
    ] = False,
    tokens: Annotated[
        Path | None, typer.Option(help="A TOML file of the bots' tokens: NAME = 'TOKEN'.")
    ] = None,
    sandbox: SandboxOptions,
    check: CheckOptions,
    json: JsonOption = False,
) -> None:
    """Build, check and run the programs of a folder, each in a sandbox.

    Every folder or zip has a bot.toml with the bot's name and its language (c, csharp,
    go, java, javascript, python, ruby, rust: as the starters of 'mancala new'), or build and
    command. What passes check-bot plays; a new version that does not leaves the old one playing,
    and the reason is printed. Needs bubblewrap. The programs have no network but the port of the
    server.
    """
    import asyncio

    from ...hosting.host import HostedFolder
    from ...hosting.playing import HostingTerms
    from ...hosting.shelf import alone_in
    from ...sandbox.machine import NoSandboxError

    if not folder.is_dir():
        console.fail(f"{folder} is no folder")
    with console.bad_input(NoSandboxError):
        limits = sandbox.limits()
    terms = None
    if server is not None:
        _check_url(server)
        terms = HostingTerms(
            url=server, ladder=ladder, games=games, limits=limits, tokens=_tokens(tokens)
        )
    host = HostedFolder(folder, check.admission(limits), lambda text: console.say(text, err=True))
    try:
        with alone_in(folder):
            asyncio.run(_hosted(host, terms, once=once))
    except KeyboardInterrupt:
        console.say("interrupted", err=True)
    except OSError as error:
        console.fail(error, code=console.FAILED)
    bots = host.report()
    console.show({"bots": bots}, "\n".join(map(_text, bots)) or f"{folder} is empty", json=json)
    if not all(bot["good"] for bot in bots):
        raise typer.Exit(console.FAILED)


async def _hosted(host: HostedFolder, terms: HostingTerms | None, *, once: bool) -> None:
    await host.admit_all()
    if terms is not None and once:
        await host.play_once(terms)
    elif terms is not None:
        await host.play_on(terms)


def _check_url(server: str) -> None:
    check_server(server)
    if not server.startswith("ws://"):
        console.fail(f"hosted bots reach ws://HOST:PORT, not {server!r}")


def _tokens(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    from mancala.protocol.text import written_text
    from mancala.server.config.loading import document_of

    with console.bad_input(OSError, ValueError, at=path):
        found = document_of(written_text(path.read_bytes()))
    if not all(isinstance(token, str) for token in found.values()):
        console.fail(f"{path}: each line is NAME = 'TOKEN'")
    return found


def _text(bot: dict[str, object]) -> str:
    title = f"{bot['folder']}: {bot['name']} {bot['version']}".rstrip()
    if bot["good"]:
        return f"{title} is good"
    plays = f"; version {bot['plays']} plays on" if bot["plays"] else ""
    return f"{title} is refused: {bot['why']}{plays}"
