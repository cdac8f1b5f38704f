"""A page that counts the bots."""

from pathlib import Path

from mancala.server.web.pages.shell import Page

PAGE = Page(
    "greeting",
    "/greeting",
    "greeting.js",
    "Greeting",
    ("/bots",),
    script=Path(__file__).with_name("greeting.js"),
)
