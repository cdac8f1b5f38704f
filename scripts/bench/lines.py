"""Count the lines of the repository; print a table, or one JSON object with ``--json``.

``python -m mancala.scripts.bench.lines`` counts what git knows: the Python of the six rooms and of
the tests, JavaScript, styles and translations. Of Python it tells docstrings and blank lines apart,
and counts statements and nodes of the syntax tree, which no formatting changes. ``product`` is all
but the tests.
"""

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

ROOMS: Final = ("bot", "engine", "mancala", "protocol", "scripts", "server")
PAGES: Final = {".js": "javascript", ".css": "styles"}
FIELDS: Final = ("files", "lines", "docstrings", "blanks", "code", "statements", "nodes")


def counted(path: Path) -> tuple[str, Counter[str]] | None:
    """Return the row of the table that a file belongs to, and what it adds to it; None if none."""
    top, text = path.parts[0], path.read_text(encoding="utf-8", errors="replace")
    lines = text.count("\n")
    if path.suffix == ".py" and top in {*ROOMS, "tests"}:
        return top, Counter(files=1, lines=lines) + _python(text)
    if top not in ROOMS:
        return None
    if path.suffix in PAGES:
        row = PAGES[path.suffix]
    elif path.parent.name == "languages" and path.suffix == ".json":
        row = "translations"
    else:
        return None
    blanks = sum(not line.strip() for line in text.splitlines())
    return row, Counter(files=1, lines=lines, blanks=blanks, code=lines - blanks)


def _python(text: str) -> Counter[str]:
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    held: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            held |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    lines = text.splitlines()
    blanks = sum(not line.strip() for at, line in enumerate(lines, 1) if at not in held)
    return Counter(
        docstrings=len(held),
        blanks=blanks,
        code=len(lines) - blanks - len(held),
        statements=sum(isinstance(node, ast.stmt) for node in nodes),
        nodes=len(nodes),
    )


def table() -> dict[str, Counter[str]]:
    """Return the counts by row, with ``product`` and ``server`` among them."""
    files = ("git", "ls-files", "-z")
    listed = subprocess.run(files, capture_output=True, text=True, check=True)  # noqa: S603  # the words above
    rows: dict[str, Counter[str]] = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = Path(name)
        if path.is_file() and not path.is_symlink() and (found := counted(path)) is not None:
            row, counts = found
            rows.setdefault(row, Counter()).update(counts)
    product = (counts for row, counts in rows.items() if row != "tests")
    return {**rows, "product": sum(product, Counter())}


def main() -> None:
    """Print the table."""
    rows = table()
    if "--json" in sys.argv:
        sys.stdout.write(json.dumps(rows) + "\n")
        return
    sys.stdout.write(f"{'':13}" + "".join(f"{field:>12}" for field in FIELDS) + "\n")
    for row, counts in rows.items():
        sys.stdout.write(f"{row:13}" + "".join(f"{counts[field]:12}" for field in FIELDS) + "\n")


if __name__ == "__main__":
    main()
