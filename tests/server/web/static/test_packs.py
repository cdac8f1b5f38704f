"""Packs: a page's modules in two files, each of which runs once."""

import json
import re
import subprocess
from pathlib import Path

from mancala.server.web.pages.pages import PAGES
from mancala.server.web.static import File, files, modules_of
from mancala.server.web.static.packs import MAIN, SHARED, pack_of, packs
from tests import node

COUNTING = "globalThis.ran = (globalThis.ran ?? []).concat('{}');\n"
WRITTEN = {
    "main.js": 'import { one as first } from "./base.js";\nglobalThis.seen = first;',
    "base.js": 'export const one = 1;\nexport const far = () => import("./far.js");\n'
    "export async function* many() { yield one; }",
    "page.js": 'import * as base from "./base.js";\nimport { Own } from "./own.js";\n'
    "// as a page is\nexport async function page() {\n"
    '  const { later } = await import("./later.js");\n'
    '  const { last } = await import("./last.js");\n  const { far } = await base.far();\n'
    "  for await (const each of base.many())\n"
    "    return [each, later(), last(), far, new Own().name];\n}",
    "own.js": "export class Own { name = 'own'; }",
    "later.js": 'import { Own } from "./own.js";\nimport { one } from "./base.js";\n'
    'import { both } from "./both.js";\nexport const later = () => [new Own().name, one + both];',
    "last.js": 'import { both } from "./both.js";\nexport const last = () => both;',
    "both.js": "export const both = 2;",
    "far.js": "export const far = 3;",
    "second.js": "export const second = 2;",
    "third.js": "export const third = 3;",
}
LOADED = re.compile(r"""(?<!\{)\bimport\(\s*["'`]\./([^"'`]*)""")
"""Loads a module; in a comment, a brace before it begins a type."""
LINKED = """import { SourceTextModule } from "vm";
import { readFileSync } from "fs";
const made = Object.entries(JSON.parse(readFileSync(0, "utf8")));
const all = Object.fromEntries(made.map(([identifier, text]) => [
    `./${identifier}`, new SourceTextModule(text, { identifier })]));
const root = new SourceTextModule(Object.keys(all).map((each) => `import "${each}";`).join(""));
await root.link((name) => all[name]);
"""
"""Parses packs, and finds in each what others import from it; runs none, as they need a page."""


def test_a_module_runs_once_also_where_it_is_loaded_later(tmp_path: Path) -> None:
    """Names are bound as the modules bind them, and each is in one of the files that arrive.

    So is what only modules need that are loaded later, and what the shared ones load later.
    """
    found = {
        name: File(f"{COUNTING.format(name)}{text}".encode(), "text/javascript")
        for name, text in WRITTEN.items()
    }
    for name, file in packs(found, ["page.js", "second.js", "third.js"]).items():
        (tmp_path / name).write_bytes(file.body)
    asked = (
        f'await import("./{SHARED}"); const {{ page }} = await import("./{pack_of("page.js")}");'
        "console.log(JSON.stringify([await page(), ran, seen]));"
    )
    (node.prepare(tmp_path) / "run.js").write_text(asked)
    command = ["node", "run.js"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    told, ran, seen = json.loads(done.stdout)
    assert (told, seen) == ([1, ["own", 3], 2, 3, "own"], 1)
    assert sorted(ran) == sorted(set(ran))


def test_all_modules_of_a_page_are_in_its_two_packs() -> None:
    """Those that are imported by what it imports included, each once; none exports."""
    pages = [page.module for page in PAGES]
    made = packs(files(), pages)
    for file in made.values():
        assert len([line for line in file.body.split(b"\n") if line.startswith(b"export")]) == 2
    for page in pages:
        held = made[SHARED].body + made[pack_of(page)].body
        for name in modules_of(files(), MAIN, page):
            assert held.count(b"const $%b = (() =>" % name.removesuffix(".js").encode()) == 1, name


def test_a_browser_can_read_each_pack(tmp_path: Path) -> None:
    """It finds there what others import, and each pack that is loaded later."""
    node.prepare(tmp_path)
    made = {
        name: file.body.decode()
        for name, file in packs(files(), [page.module for page in PAGES]).items()
    }
    command = ["node", "--experimental-vm-modules", "--input-type=module", "--eval", LINKED]
    done = subprocess.run(
        command, input=json.dumps(made), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    later = {name for text in made.values() for name in LOADED.findall(text)}
    assert later
    assert later <= made.keys()
