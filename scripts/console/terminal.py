"""A rich console that obeys nothing that stands in what it prints; styles are its own."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from mancala.protocol.text import for_terminal


class Terminal(Console):
    """A console whose texts may come from anywhere: names, reports, error messages of programs."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(for_terminal(segment.text), segment.style)
