"""Options ``--live`` and ``--publish`` of headless events, and what they do while games go on."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol import codec

from ..console import output as console
from ..console.processes.supervisor import ChildError, mancala
from ..console.processes.temporary import ServedArena, temporary_folder
from ..console.seat import check_server

if TYPE_CHECKING:
    from mancala.protocol.submission import Submission

    from .sender import Sender, SubmissionTarget

NEEDED: Final = "sqlalchemy"
"""A package of the server, which the base installation lacks."""
EVERY_S: Final = 5.0
"""Seconds between two states that a server elsewhere is sent."""
LONGEST_TITLE: Final = 200
NAME: Final = "here"
PAGE_EVERY_S: Final = 1.0
"""The same for the page of this machine."""
CONFIG: Final = """\
name = "live"
port = 0
http_port = {port}
store = "{store}"
guests = false
drain_s = 0.0

[play]
analysis = false

[mqtt]
private_broker = false
"""


@contextmanager
def served_page(port: int) -> Iterator[tuple[str, SubmissionTarget]]:
    """Serve a page during the block, 0 for a free port; yield its address, and where to submit."""
    from .sender import SubmissionTarget

    with temporary_folder("live") as folder, asyncio.Runner() as runner:
        store, config = folder / "live.sqlite3", folder / "live.toml"
        config.write_text(CONFIG.format(port=port, store=store))
        token = _token(store)
        serving = mancala(
            *("page", "serve", "--config", str(config), "--json"),
            folder=folder,
            env={**os.environ, "XDG_STATE_HOME": str(folder)},
        )
        server = runner.run(serving.__aenter__())
        try:
            arena = codec.from_json(runner.run(server.line()), ServedArena)
            yield arena.http or "", SubmissionTarget(arena.url, NAME, token, PAGE_EVERY_S)
        except ChildError as error:
            console.fail(f"--live {port}: {error}", code=console.FAILED)
        finally:
            runner.run(serving.__aexit__(None, None, None))


def _token(store: Path) -> str:
    from mancala.server.app.system import utc
    from mancala.server.model.credentials import Rights
    from mancala.server.store.rows.tokens import issue, token_admin

    with token_admin(str(store)) as transaction:
        return issue(transaction, NAME, utc(), Rights(is_submitter=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishingOptions:
    """Options: where others see the event."""

    live: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Show it on a page at this port of this machine while it runs; 0 for a free port.",
        ),
    ] = None
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Show it on the page of this match server (ws:// or wss://), too."
        ),
    ] = None
    publish_as: Annotated[str | None, typer.Option(help="The name of --token on that server.")] = (
        None
    )
    token: Annotated[
        str | None,
        typer.Option(
            envvar="MANCALA_TOKEN",
            help="A token with the right to submit events (mancala token new NAME --submitter).",
        ),
    ] = None
    title: Annotated[str | None, typer.Option(help="Title on the page.")] = None

    def check(self) -> None:
        if self.title is not None and not 0 < len(self.title) <= LONGEST_TITLE:
            console.fail(f"--title: 1 to {LONGEST_TITLE} characters")
        if self.live is not None:
            console.expect_installed("--live", "server", NEEDED)
        if self.publish is not None:
            check_server(self.publish)
            if self.publish_as is None or self.token is None:
                console.fail("--publish needs --publish-as NAME and --token TOKEN")


@dataclass(slots=True)
class EventPages:
    """The pages that show an event: a sender for each server that it is sent to."""

    senders: list[Sender] = field(default_factory=list)

    def offer(self, make: Callable[[], Submission]) -> None:
        """Send the state of the event soon."""
        for sender in self.senders:
            sender.offer(make)

    def finish(self, make: Callable[[], Submission]) -> list[str]:
        """Send the last state; return what failed, a sentence each."""
        if not self.senders:
            return []
        last = make()
        return [problem for sender in self.senders if (problem := sender.finish(last))]


@contextmanager
def publishing(options: PublishingOptions, home: Path) -> Iterator[EventPages]:
    """Open the pages that the options name for the block; the event's directory keeps its id."""
    if options.live is None and options.publish is None:
        yield EventPages()
        return
    from .sender import Sender, SubmissionTarget, submission_id

    with console.failing_on(OSError):
        submission = submission_id(home)
    with ExitStack() as stack:
        pages = EventPages()
        if options.live is not None:
            page, target = stack.enter_context(served_page(options.live))
            pages.senders.append(Sender(target, submission, partial(_tell, page)))
        if options.publish is not None:
            name, token = options.publish_as or "", options.token
            target = SubmissionTarget(options.publish, name, token, EVERY_S)
            told = partial(_tell, f"the page of {options.publish}: ")
            pages.senders.append(Sender(target, submission, told))
        yield pages


def expect_published(problems: Sequence[str], home: Path, command: str) -> None:
    """End the command if the event could not be shown; say how to try again."""
    if problems:
        again = f"mancala {command} --resume {shlex.quote(str(home))} --publish URL …"
        console.fail(
            f"not published: {'; '.join(problems)}; try again with: {again}", code=console.FAILED
        )


def _tell(page: str, key: str) -> None:
    console.say(f"mancala: shown at {page}/elsewhere/{key}", err=True)
