"""``mancala bench``: the node count of a fixed search, its signature, and its speed."""

import time
from typing import Final

from mancala.protocol.rules import Board

from ...console.interrupt import until_interrupted
from ...console.options import JsonOption
from ...console.positions import per_second

BENCH_DEPTH: Final = 19
BENCH_BOARDS: Final = (
    "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>",
    "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4>",
    "<6,2,7,5,1,7,0,6,2,0,3,6,6,1,2>",
    "<6,9,4,0,6,1,7,2,0,5,5,0,1,6,2>",
    "<6,13,9,3,0,4,1,0,6,2,2,4,0,3,1>",
    "<6,0,0,6,6,6,6,6,6,6,6,6,6,6,6>",
)
"""What ``bench`` searches: the start, a reply, three middle games, and the start of Kalah(6,6)."""


def command(*, json: JsonOption = False) -> None:
    """Measure the search on fixed positions.

    The number of nodes at a fixed depth is the search's signature.
    """
    from mancala.engine.search.engine import Engine, EngineOptions, Limit

    options = EngineOptions(tables=2, cache=None)
    nodes, began = 0, time.perf_counter()
    with until_interrupted() as interruption:
        Engine(options=options).warm_up()
        began = time.perf_counter()
        for text in BENCH_BOARDS:
            engine = Engine(options=options)
            report = engine.analyse(Board.from_text(text), Limit(depth=BENCH_DEPTH))
            nodes += report.nodes
    seconds = time.perf_counter() - began
    result = {
        "signature": None if interruption.happened else nodes,
        "nodes": nodes,
        "seconds": seconds,
        "nps": per_second(nodes, seconds),
    }
    what = "interrupted" if interruption.happened else "signature"
    text = f"{what} {nodes}: {seconds:.2f} s, {result['nps']} nodes/s"
    interruption.conclude(result, text, "there is no signature of a part", json=json)
