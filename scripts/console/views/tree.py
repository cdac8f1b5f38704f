"""A walk through a game tree on paper: as lines for the terminal, as SVG, and as a story.

All three show the same facts: the window ``α β`` with which each node was left, its value, the
best line, and what was cut off. A node whose children were cut off shows a bound: ``≤2``. The SVG
is one drawing, or with `animated` a drawing that repeats the walk step by step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from math import inf, isnan
from typing import Final

from mancala.engine.classics.lecture.game_tree import GameTree, NodeKind
from mancala.engine.classics.lecture.tree_walk import WalkEvent, WalkStep
from mancala.protocol.text import quantity

Path = tuple[int, ...]
Place = tuple[float, float]

LEAF_WIDTH: Final = 38
LEVEL_HEIGHT: Final = 86
MARGIN: Final = 34
RADIUS: Final = 15
LABEL_AT: Final = 0.62
"""Where a label stands on its edge, from the parent 0 to the child 1."""
CAPTION_HEIGHT: Final = 30
LEAST_WIDTH: Final = 330
"""Of a drawing with a caption."""
FRAME_S: Final = 1.5
LAST_FRAME_S: Final = 6.0
MOST_DRAWN: Final = 400
"""An SVG with more nodes than this is refused: it would be unreadable."""
MOST_ANIMATED: Final = 60
"""Nodes of an animated SVG, which draws the tree again for each step."""
STYLE: Final = (
    "text{font:12px sans-serif;text-anchor:middle;fill:#222}"
    ".window{font-size:10px;fill:#555;stroke:#fff;stroke-width:3;paint-order:stroke}line{stroke:#888}.best{stroke:#06c;stroke-width:2.5}"
    ".cut line,.cut path,.cut circle,.cut rect{stroke-dasharray:3 3;opacity:.5}.cut text{fill:#999}"
    "path,circle,rect{fill:#fff;stroke:#444}.later{opacity:.25}"
    ".now path,.now circle,.now rect{fill:#fe9}"
)
HELD: Final = ".held .frame{animation:none;visibility:hidden}.held .shown{visibility:visible}"
CLICKED: Final = """
const frames = [...document.querySelectorAll(".frame")];
const root = document.documentElement;
const seen = () => frames.findIndex((each) => getComputedStyle(each).visibility === "visible");
function hold(steps) {
  const at = Math.max(0, seen()), moved = root.classList.contains("held") ? steps : 0;
  root.classList.add("held");
  const next = (at + moved + frames.length) % frames.length;
  frames.forEach((each, number) => each.classList.toggle("shown", number === next));
}
root.addEventListener("click", () => hold(1));
addEventListener("keydown", ({ key }) => {
  if (key === "ArrowRight") hold(1);
  if (key === "ArrowLeft") hold(-1);
  if (key === " ") root.classList.contains("held") ? root.classList.remove("held") : hold(0);
});
"""
"""What holds a walk at a click, and goes on by a step at the next; an image in a page runs none."""


@dataclass(slots=True)
class Notes:
    """What a walk found out of each node, by path.

    A value is a bound where children were cut off; windows are alpha and beta as they stood last;
    what hangs from a node that was cut off was never seen either.
    """

    values: dict[Path, float] = field(default_factory=dict)
    windows: dict[Path, tuple[float, float]] = field(default_factory=dict)
    visited: set[Path] = field(default_factory=set)
    bounded: set[Path] = field(default_factory=set)
    cut: set[Path] = field(default_factory=set)
    leaves: int = 0
    now: Path = ()

    @classmethod
    def of(cls, steps: Iterable[WalkStep]) -> Notes:
        notes = cls()
        for step in steps:
            notes.add(step)
        return notes

    def add(self, step: WalkStep) -> None:
        self.now = step.path
        self.visited.add(step.path)
        if step.event is not WalkEvent.LEAVE:
            self.windows[step.path] = step.alpha, step.beta
        if step.event in {WalkEvent.LEAF, WalkEvent.LEAVE} and step.value is not None:
            self.values[step.path] = step.value
        if step.event is WalkEvent.CUT:
            first = 1 + max(path[-1] for path in self.visited if path[:-1] == step.path and path)
            self.bounded.add(step.path)
            self.cut.update((*step.path, first + each) for each in range(step.skipped))
        self.leaves += step.event is WalkEvent.LEAF

    @property
    def has_windows(self) -> bool:
        """Whether any window was narrowed; without pruning none is."""
        return any(abs(bound) != inf for window in self.windows.values() for bound in window)

    def class_of(self, path: Path) -> str:
        """Return how a node is drawn: as any, as cut off, or as not reached yet."""
        if path in self.visited:
            return ""
        is_cut = any(path[:length] in self.cut for length in range(1, len(path) + 1))
        return "cut" if is_cut else "later"


def best_line(tree: GameTree, notes: Notes) -> list[tuple[Path, GameTree]]:
    """Return the nodes from the root along the best children, down to a chance node or a leaf."""
    path: Path = ()
    line = [(path, tree)]
    while tree.children and tree.kind is not NodeKind.CHANCE:
        pick = max if tree.kind is NodeKind.MAX else min
        seen = [n for n in range(len(tree.children)) if (*path, n) in notes.values]
        if not seen:
            break
        number = pick(seen, key=lambda n: notes.values[*path, n])
        path, tree = (*path, number), tree.children[number]
        line.append((path, tree))
    return line


def lines(tree: GameTree, notes: Notes) -> Iterator[str]:
    """Yield the tree as lines of text, one a node, the root first."""
    on_best = {path for path, _ in best_line(tree, notes)}

    def draw(node: GameTree, path: Path, before: str, branch: str, label: str) -> Iterator[str]:
        mark = "" if not path else branch + ("═ " if path in on_best else "─ ")
        yield before + mark + label + _label(node, path, notes)
        below = before + ("" if not path else ("   " if branch == "└" else "│  "))
        for number, child in enumerate(node.children):
            last = number == len(node.children) - 1
            edge = _edge(node, number)
            name = f"{edge}: " if edge else ""
            yield from draw(child, (*path, number), below, "└" if last else "├", name)

    yield from draw(tree, (), "", "", "")


def story(tree: GameTree, steps: Iterable[WalkStep]) -> Iterator[str]:
    """Yield a walk as sentences, one a step, the nodes named by the moves that lead to them."""
    for step in steps:
        name = _name(tree, step.path)
        window = f"α {number(step.alpha)}, β {number(step.beta)}"
        match step.event:
            case WalkEvent.ENTER:
                yield f"enter {name}: {window}"
            case WalkEvent.LEAF:
                yield f"{name} is worth {number(step.value)}"
            case WalkEvent.UPDATE:
                best = "" if step.value is None else f", so far {number(step.value)}"
                yield f"back at {name}: {window}{best}"
            case WalkEvent.CUT:
                others = "child" if step.skipped == 1 else "children"
                yield f"cut at {name}: {window}, so {step.skipped} {others} cannot matter"
            case WalkEvent.LEAVE:
                yield f"{name} is worth {number(step.value)}"


def svg(tree: GameTree, notes: Notes) -> str:
    """Return the tree as an SVG document: triangles maximise and minimise, circles are chance."""
    if tree.size > MOST_DRAWN:
        raise ValueError(f"a drawing has at most {MOST_DRAWN} nodes, not {tree.size}")
    places = dict(_places(tree, (), [0]))
    width, height = _extent(places)
    on_best = {path for path, _ in best_line(tree, notes)}
    return _document(tree, notes, (width, height), STYLE, _picture(tree, places, notes, on_best))


def animated(tree: GameTree, steps: list[WalkStep]) -> str:
    """Return the tree as an SVG document that repeats a walk, with a sentence for each step.

    Opened in a browser, a click or the space bar holds it, and a click or an arrow goes on from
    there by a step. Where the reader prefers reduced motion, the last step stands still.
    """
    if tree.size > MOST_ANIMATED:
        raise ValueError(f"an animated drawing has at most {MOST_ANIMATED} nodes, not {tree.size}")
    places = dict(_places(tree, (), [0]))
    width, height = _extent(places)
    width = max(width, LEAST_WIDTH)
    length = len(steps) * FRAME_S + LAST_FRAME_S
    notes, frames = Notes(), []
    for number_, (step, told) in enumerate(zip(steps, story(tree, steps), strict=True)):
        notes.add(step)
        is_last = number_ == len(steps) - 1
        on_best = {path for path, _ in best_line(tree, notes)} if is_last else set()
        caption = (
            f'<text x="{width / 2:g}" y="{height + CAPTION_HEIGHT / 2:g}">{escape(told)}</text>'
        )
        kind = "frame last" if is_last else "frame"
        frames.append(
            f'<g class="{kind}" style="animation-delay:{number_ * FRAME_S:g}s">'
            f"{_picture(tree, places, notes, on_best)}{caption}</g>"
        )
    size = width, height + CAPTION_HEIGHT
    content = "".join((*frames, f"<script>{escape(CLICKED, quote=False)}</script>"))
    return _document(tree, notes, size, STYLE + _motion(length) + HELD, content)


def _motion(length_s: float) -> str:
    """Return the style that shows one frame after another."""

    def keyframes(name: str, shown_s: float) -> str:
        share = 100 * shown_s / length_s
        return (
            f"@keyframes {name}{{0%{{visibility:visible}}{share:.3f}%,100%{{visibility:hidden}}}}"
        )

    return (
        f".frame{{visibility:hidden;animation:show {length_s:g}s step-end infinite}}"
        f".last{{animation-name:rest}}{keyframes('show', FRAME_S)}"
        f"{keyframes('rest', FRAME_S + LAST_FRAME_S)}"
        "@media (prefers-reduced-motion:reduce)"
        "{.frame{animation:none}.last{visibility:visible}}"
    )


def _extent(places: dict[Path, Place]) -> Place:
    width = max(x for x, _ in places.values()) + MARGIN
    return width, max(y for _, y in places.values()) + MARGIN + 14


def _document(tree: GameTree, notes: Notes, size: Place, style: str, content: str) -> str:
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img">'
        f"<title>{escape(_title(tree, notes))}</title><style>{style}</style>"
        f'<rect width="100%" height="100%" style="stroke:none"/>{content}</svg>\n'
    )


def _picture(tree: GameTree, places: dict[Path, Place], notes: Notes, on_best: set[Path]) -> str:
    edges = _edges(tree, (), places, notes, on_best)
    return "".join((*edges, *_nodes(tree, (), places, notes)))


def number(value: float | None) -> str:
    """Return a value as it is written on paper."""
    if value is None or isnan(value):
        return "?"
    if value in {inf, -inf}:
        return "+∞" if value > 0 else "-∞"
    return f"{value:.4g}"


def _title(tree: GameTree, notes: Notes) -> str:
    leaves = quantity(notes.leaves, "leaf", "leaves")
    return f"{tree.kind} tree worth {number(notes.values[()])}, {leaves} visited"


def _name(tree: GameTree, path: Path) -> str:
    """Return how a sentence calls a node: its kind, and the moves or numbers that lead there."""
    moves = []
    for step in path:
        tree = tree.children[step]
        moves.append(tree.move or str(step + 1))
    return f"{tree.kind} {'-'.join(moves)}" if moves else f"the root ({tree.kind})"


def _label(node: GameTree, path: Path, notes: Notes) -> str:
    if path not in notes.visited:
        return f"✂ {node.kind if node.value is None else number(node.value)}"
    value = _value(node, path, notes)
    if node.value is not None:
        return value
    alpha, beta = notes.windows[path]
    return f"{node.kind} {value}  (α {number(alpha)}, β {number(beta)})"


def _edge(tree: GameTree, number: int) -> str:
    """Return what stands on the edge to a child: its move, or its probability where they differ."""
    child = tree.children[number]
    if child.move:
        return f"{child.move}{'!' if child.loud else ''}"
    return f"{tree.weights[number]:g}" if len(set(tree.weights)) > 1 else ""


def _value(node: GameTree, path: Path, notes: Notes) -> str:
    """Return a node's value as it is drawn: a bound with its sign, nothing while it is unknown."""
    value = notes.values.get(path, node.value)
    if value is None:
        return ""
    if path not in notes.bounded:
        return number(value)
    alpha, _ = notes.windows[path]
    is_upper = node.kind is NodeKind.MIN or (node.kind is NodeKind.CHANCE and value <= alpha)
    return f"{'≤' if is_upper else '≥'}{number(value)}"


def _places(tree: GameTree, path: Path, leaves: list[int]) -> Iterator[tuple[Path, Place]]:
    """Yield where each node stands: leaves from left to right, parents above their middle."""
    y = MARGIN + LEVEL_HEIGHT * len(path)
    if not tree.children:
        x = MARGIN + LEAF_WIDTH * leaves[0]
        leaves[0] += 1
        yield path, (x, y)
        return
    xs = []
    for step, child in enumerate(tree.children):
        below = list(_places(child, (*path, step), leaves))
        xs.append(below[-1][1][0])
        yield from below
    yield path, ((xs[0] + xs[-1]) / 2, y)


def _edges(
    tree: GameTree, path: Path, places: dict[Path, Place], notes: Notes, on_best: set[Path]
) -> Iterator[str]:
    x, y = places[path]
    for step, child in enumerate(tree.children):
        to = (*path, step)
        toward_x, toward_y = places[to]
        group = _class(notes.class_of(to))
        kind = ' class="best"' if to in on_best else ""
        yield (
            f'<g{group}><line{kind} x1="{x:g}" y1="{y:g}" x2="{toward_x:g}" y2="{toward_y:g}"/></g>'
        )
        yield from _edges(child, to, places, notes, on_best)
        if label := _edge(tree, step):
            at_x, at_y = x + (toward_x - x) * LABEL_AT, y + (toward_y - y) * LABEL_AT
            at = f'x="{at_x:g}" y="{at_y:g}"'
            yield f'<text class="window" {at}>{escape(label)}</text>'


def _nodes(
    tree: GameTree, path: Path, places: dict[Path, tuple[float, float]], notes: Notes
) -> Iterator[str]:
    x, y = places[path]
    classes = (notes.class_of(path), "now" if path == notes.now and path else "")
    text = f'<text x="{x:g}" y="{y + 4:g}">{_value(tree, path, notes)}</text>'
    window = ""
    if path in notes.windows and tree.value is None and notes.has_windows:
        alpha, beta = notes.windows[path]
        label = f"α {number(alpha)} β {number(beta)}"
        window = f'<text class="window" x="{x:g}" y="{y - RADIUS - 6:g}">{label}</text>'
    yield f"<g{_class(*classes)}>{_shape(tree.kind, x, y)}{text}{window}</g>"
    for step, child in enumerate(tree.children):
        yield from _nodes(child, (*path, step), places, notes)


def _class(*names: str) -> str:
    shown = " ".join(name for name in names if name)
    return f' class="{shown}"' if shown else ""


def _shape(kind: NodeKind, x: float, y: float) -> str:
    r = RADIUS
    match kind:
        case NodeKind.MAX:
            return f'<path d="M{x:g} {y - r - 3:g}L{x + r + 5:g} {y + r - 4:g}H{x - r - 5:g}Z"/>'
        case NodeKind.MIN:
            return f'<path d="M{x:g} {y + r + 3:g}L{x + r + 5:g} {y - r + 4:g}H{x - r - 5:g}Z"/>'
        case NodeKind.CHANCE:
            return f'<circle cx="{x:g}" cy="{y:g}" r="{r}"/>'
        case NodeKind.LEAF:
            return f'<rect x="{x - r:g}" y="{y - r + 3:g}" width="{2 * r}" height="{2 * r - 6}"/>'
