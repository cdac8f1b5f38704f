"""Blocks of a text, as Markdown and as HTML; what they quote can leave neither; pure."""

from collections.abc import Iterable, Sequence
from html import escape
from string import Template
from typing import Final, NamedTuple

FENCE: Final = "````"
PAGE: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8884 }
td:not(:last-child) { white-space: nowrap }
pre { background: #8882; padding: .6rem; overflow-x: auto }
:root { color-scheme: light dark }
</style>
</head>
<body>
$body
</body>
</html>
""")


FORM: Final = Template("""<form method="post" enctype="multipart/form-data">
<label>$label <input type="file" name="program" accept=".zip" required></label>
<button>Send</button>
</form>""")


class Heading(NamedTuple):
    """A title; level 1 is the page's."""

    text: str
    level: int = 2


class Paragraph(NamedTuple):
    text: str


class Items(NamedTuple):
    lines: Sequence[str]


class Quote(NamedTuple):
    """What a program wrote; control characters are removed."""

    text: str

    @property
    def plain(self) -> str:
        """The text without what a terminal or a fence would obey."""
        kept = "".join(each for each in self.text if each.isprintable() or each in "\n\t")
        return kept.strip().replace(FENCE, "")


class TableBlock(NamedTuple):
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class LinkCell(NamedTuple):
    """A cell that leads to another page."""

    text: str
    address: str


class UploadForm(NamedTuple):
    """A form that hands in a zip at the page's own address."""

    label: str


Block = Heading | Paragraph | Items | Quote | TableBlock | UploadForm


def as_markdown(blocks: Iterable[Block]) -> str:
    return "\n\n".join(map(_markdown, blocks)) + "\n"


def as_page(title: str, blocks: Iterable[Block]) -> str:
    """Return blocks as a page of HTML that runs nothing and loads nothing."""
    return PAGE.substitute(title=escape(title), body="\n".join(map(_html, blocks)))


def noted(page: str, text: str) -> str:
    """Return a page with a paragraph below its title."""
    end = "</h1>"
    return page.replace(end, f"{end}\n{_html(Paragraph(text))}", 1)


def ending_with(page: str, block: Block) -> str:
    end = "</body>"
    return page.replace(end, f"{_html(block)}\n{end}", 1)


def one_line(text: str) -> str:
    return " ".join(text.split())


def _markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {one_line(text)}"
        case Paragraph(text):
            return text
        case Items(lines):
            return "\n".join(f"- {one_line(line)}" for line in lines)
        case Quote():
            return f"{FENCE}text\n{block.plain}\n{FENCE}"
        case UploadForm(label):
            return label
        case TableBlock(head, rows):
            every: list[Sequence[object]] = [head, ["---"] * len(head), *rows]
            return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in every)


def _cell(value: object) -> str:
    return one_line(_shown(value)).replace("|", "\\|")


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case Items(lines):
            return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
        case Quote():
            return f"<pre>{escape(block.plain)}</pre>"
        case UploadForm(label):
            return FORM.substitute(label=escape(label))
        case TableBlock(head, rows):
            first = "".join(f"<th>{escape(name)}</th>" for name in head)
            lines = "\n".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
            return f"<table>\n<tr>{first}</tr>\n{lines}\n</table>"


def _html_cell(value: object) -> str:
    if isinstance(value, LinkCell):
        return f'<td><a href="{escape(value.address)}">{escape(value.text)}</a></td>'
    return f"<td>{escape(_shown(value))}</td>"


def _shown(value: object) -> str:
    if isinstance(value, LinkCell):
        return value.text
    return "" if value is None else str(value)
