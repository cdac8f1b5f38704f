"""Blocks of a text, as Markdown and as HTML."""

from mancala.scripts.course.blocks import (
    Heading,
    Items,
    LinkCell,
    Paragraph,
    Quote,
    TableBlock,
    as_markdown,
    as_page,
)

BLOCKS = (
    Heading("<b>Ada</b>", level=1),
    Paragraph("a & b"),
    Items(["one\nline"]),
    Quote("\x1b[31m````\n</pre><script>"),
    TableBlock(("team", "why"), [(LinkCell("ada|x", 'a".html'), None)]),
)


def test_markdown_keeps_what_is_quoted_in_its_fence() -> None:
    """Neither a fence, an escape of a terminal nor a bar in a cell does anything."""
    assert as_markdown(BLOCKS) == (
        "# <b>Ada</b>\n\na & b\n\n- one line\n\n````text\n[31m\n</pre><script>\n````\n\n"
        "| team | why |\n| --- | --- |\n| ada\\|x |  |\n"
    )


def test_a_page_runs_nothing_that_it_shows() -> None:
    """Every text is escaped, and the policy forbids scripts."""
    page = as_page("A & B", BLOCKS)
    assert "<title>A &amp; B</title>" in page
    assert "<h1>&lt;b&gt;Ada&lt;/b&gt;</h1>" in page
    assert "&lt;script&gt;" in page
    assert '<a href="a&quot;.html">ada|x</a>' in page
    assert "<script" not in page
    assert "\x1b" not in page
    assert "default-src 'none'" in page
