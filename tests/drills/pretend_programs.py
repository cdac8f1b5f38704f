"""Programs of a pretend course: of graded strength, starters, classics, and broken ones.

A program of graded strength is the starter in C with another ``choose``: it searches to a depth,
and plays any pit in a share of the positions, as a hash of the position says. So its moves do not
depend on time, and who sees further or strays less is the stronger one.
"""

import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mancala.bot.starters import starter

SEARCH: Final = """
enum { DEPTH = %(depth)d, STRAYS = %(strays)d, SALT = %(salt)d };

static Board turned(const Board *board) {
    Board other = *board;
    for (int side = 0; side < 2; side++) {
        other.stores[side] = board->stores[1 - side];
        memcpy(other.rows[side], board->rows[1 - side], sizeof other.rows[side]);
    }
    return other;
}

static int is_over(const Board *board) {
    for (int pit = 0; pit < board->pits; pit++)
        if (board->rows[0][pit]) return 0;
    return 1; /* sow has swept both rows */
}

static int value(const Board *board, int depth, int alpha, int beta) {
    if (!depth || is_over(board)) return board->stores[0] - board->stores[1];
    for (int pit = board->pits - 1; pit >= 0 && alpha < beta; pit--) {
        if (!board->rows[0][pit]) continue;
        Board next = *board;
        int found;
        if (sow(&next, pit)) found = value(&next, depth - 1, alpha, beta);
        else { next = turned(&next); found = -value(&next, depth - 1, -beta, -alpha); }
        if (found > alpha) alpha = found;
    }
    return alpha;
}

static unsigned hash_of(const Board *board) {
    unsigned hash = 2166136261u ^ SALT;
    for (int place = 0; place < 2 * board->pits; place++) {
        int seeds = board->rows[place / board->pits][place %% board->pits];
        hash = (hash ^ (unsigned)seeds) * 16777619u;
    }
    return hash ^ hash >> 15;
}

/* Return the pit of greatest value, or now and then any pit. */
static int choose(const Board *board) {
    unsigned hash = hash_of(board);
    int best = -1, most = -1000, strays = (int)(hash %% 100) < STRAYS;
    for (int step = 0; step < board->pits; step++) {
        int pit = (step + (int)(hash / 100 %% 16)) %% board->pits, found;
        if (!board->rows[0][pit]) continue;
        if (strays) return pit;
        Board next = *board;
        if (sow(&next, pit)) found = value(&next, DEPTH - 1, -1000, 1000);
        else { next = turned(&next); found = -value(&next, DEPTH - 1, -1000, 1000); }
        if (found > most) { most = found; best = pit; }
    }
    return best;
}
"""
STRENGTHS: Final = 10
LARGE: Final = 60
HEAD: Final = "/* Return a pit that moves again, or else the last legal one. */"
TAIL: Final = "static void answer("
READER: Final = """import sys
if True:
{start}
    for line in sys.stdin:
        rows = list(map(int, line.split()[0].strip("<>").split(",")))
        pits, mine, theirs = rows[0], rows[3:3 + rows[0]], rows[3 + rows[0]:]
        legal = [pit for pit in range(pits) if mine[pit]]
{body}
        print(pit, "\\ndone", flush=True)
"""
CLASSICS: Final[Mapping[str, str]] = {
    "first": "pit = legal[0]",
    "last": "pit = legal[-1]",
    "fullest": "pit = max(legal, key=mine.__getitem__)",
    "fewest": "pit = min(legal, key=mine.__getitem__)",
    "again": "pit = next((p for p in legal if mine[p] + p == pits), legal[0])",
}
BROKEN_BODIES: Final[Mapping[str, str]] = {
    "illegal": "pit = 99",
    "talks": "print('\\x1b]0;owned\\x07 thinking', flush=True); pit = legal[0]",
    "dies-late": "sum(mine) + sum(theirs) > 30 or sys.exit('few seeds left'); pit = legal[0]",
    "floods": "sys.stderr.write('x' * (9 << 20)); pit = legal[0]",
    "hungry": "held = bytearray(1 << 30); pit = legal[0]",
    "children": "__import__('os').fork() or sum(iter(int, 1)); pit = legal[0]",
    "sockets": "held = [__import__('socket').socketpair() for _ in range(99)]; pit = legal[0]",
}
BROKEN_STARTS: Final[Mapping[str, str]] = {
    "crashes": "raise SystemExit('no model found')",
    "reads-out": "open('/etc/shadow').read()",
    "calls-home": "import socket; socket.create_connection(('192.0.2.1', 80), 2)",
}
BROKEN_MANIFESTS: Final[Mapping[str, str]] = {
    "nested": f"name = {'[' * 5000}",
    "writes-out": 'name = "x"\ncommand = "true"\nbuild = "for each in /proc/[0-9]*/fd/*; do'
    ' echo x > $each; done; exit 1"\n',
    "own-port": 'name = "x"\ncommand = """python3 -c "import os, socket, sys; os.fork(); os.fork();'
    " at = sys.argv[1].split('/')[2].split(':');"
    ' held = [socket.create_connection(at) for _ in iter(int, 1)]" {url}"""\n',
}


def strong(name: str, depth: int, strays: int, salt: int) -> Mapping[str, str]:
    """Return the files of a program; in ``strays`` positions of a hundred it plays any pit."""
    files = dict(starter("c", name=name))
    before, rest = files["bot.c"].split(HEAD)
    search = SEARCH % {"depth": depth, "strays": strays, "salt": salt}
    files["bot.c"] = f"{before}{search.strip()}\n\n{TAIL}{rest.split(TAIL, 1)[1]}"
    return files


def strengths(count: int) -> list[tuple[int, int]]:
    """Return depth and strays of strengths that lie well apart, the strongest first."""
    return [(max(1, 8 - 8 * place // count), 96 * place // count) for place in range(count)]


def write_course(course: Path, programs: int) -> dict[str, str]:
    """Write a course of programs; return the kind of each team.

    Half of them are of graded strength; a sixth are starters, a sixth classics, a sixth broken. A
    large course is handed in every kind of broken program besides.
    There are at most `STRENGTHS` strengths; programs of one differ in where they stray.
    """
    teams, kinds = course / "teams", dict[str, str]()
    each, graded = programs // 6, programs - 3 * (programs // 6)
    known = strengths(min(graded, STRENGTHS))
    for number in range(graded):
        depth, strays = known[number % len(known)]
        folder = teams / f"strong-{number % len(known):02}-{number // len(known)}"
        write(folder, strong(folder.name, depth, strays, salt=number), language="c")
    for number in range(each):
        language = ("c", "python")[number % 2]
        folder = teams / f"starter-{number:02}"
        write(folder, starter(language, name=folder.name), language=language)
        text = list(CLASSICS.values())[number % len(CLASSICS)]
        write_python(teams / f"classic-{number:02}", body=text)
    for number in range(max(each, broken_kinds() if programs >= LARGE else 0)):
        _break(teams, number)
    for path in teams.iterdir():
        kinds[path.name] = path.name.partition("-")[0]
    return dict(sorted(kinds.items()))


def broken_kinds() -> int:
    return len(BROKEN_BODIES) + len(BROKEN_STARTS) + len(BROKEN_MANIFESTS) + 4


def _break(teams: Path, number: int) -> None:
    """Write a broken program; each number is broken in another way."""
    folder = teams / f"broken-{number:02}"
    bodies, starts = list(BROKEN_BODIES.values()), list(BROKEN_STARTS.values())
    kind = number % broken_kinds()
    if kind < len(bodies):
        return write_python(folder, body=bodies[kind])
    kind -= len(bodies)
    if kind < len(starts):
        return write_python(folder, start=starts[kind])
    kind -= len(starts)
    if kind < len(BROKEN_MANIFESTS):
        folder.mkdir(parents=True)
        (folder / "bot.toml").write_text(list(BROKEN_MANIFESTS.values())[kind])
        return None
    kind -= len(BROKEN_MANIFESTS)
    if kind == 0:
        folder.mkdir(parents=True)
        return None
    if kind == 1:
        return write(folder, {"bot.c": "int main(void) { return }", "Makefile": "x:"}, "c")
    return _zip(folder, kind)


def _zip(folder: Path, kind: int) -> None:
    """Write an archive that is refused: a bomb, or one with a link."""
    teams = folder.parent
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        link = zipfile.ZipInfo("secrets")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        if kind == 2:
            archive.writestr(link, "/etc")
        else:
            archive.writestr("zeros", b"\0" * (65 << 20))
    (teams / f"{folder.name}.zip").write_bytes(data.getvalue())


def write_python(folder: Path, body: str = "pit = legal[0]", start: str = "pass") -> None:
    text = READER.format(body=f"        {body}", start=f"    {start}")
    write(folder, {"bot.py": text}, command="python3 bot.py")


def write(folder: Path, files: Mapping[str, str], language: str = "", command: str = "") -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    name = folder.name
    lines = [f'name = "{name}"', f'owner = "Owner of {name}"']
    if language:
        lines.append(f'language = "{language}"')
    else:
        lines += [f'command = "{command}"', 'protocol = "cmd"']
    (folder / "bot.toml").write_text("\n".join(lines) + "\n")


def copy_of(course: Path, folder: str, copy: str) -> None:
    """Hand a team's program in once more, renamed, as a copy would be."""
    place = course / "teams" / copy
    place.mkdir()
    for file in (course / "teams" / folder).iterdir():
        (place / file.name).write_text(file.read_text().replace(folder, copy))
