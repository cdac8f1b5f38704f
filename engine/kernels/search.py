"""The search: resumable alpha-beta on an explicit stack, for estimates and for proofs.

**Values.** Captured seeds never return and no position repeats, so what the mover can still gain
over the other depends on the pits and the mover alone: the *value-to-go*. The search works on pits
without stores and adds the gain of each sowing on the way up: ``value(move) = gain + value(child)``
when the mover sows again, else ``gain - value(child)``. Under ``majority`` the stores decide when
the game ends; the mover's store is then part of the key. Values are counted in 1/64 seed
(``UNIT``), as the evaluation is finer than the game; a proven value is a whole number of seeds.

**What search denotes.** ``run`` computes, fail-soft, the depth-limited negamax value of frame 0
within its window. At a depth of ``PROOF`` nothing is ever evaluated: values come from finished
games, endgame tables and other proofs, and are exact. The transposition table holds under a key
either a *proof* (both bounds, in whole seeds), a function of the position alone, which any depth
may use; or an *estimate* (depth below ``PROOF``; one bound), of position and depth.

**Selective depth** makes estimates cheap and inexact: one of depth ``d`` is the value of a tree of
``d`` plies less what was pruned, which depends on the windows and the order of the search. Against
a null window, close to the leaves, an evaluation that lies outside by a margin a ply is returned
(futility pruning on both sides: Heinz, "Extended futility pruning", ICCA Journal 21(2), 1998).
Further up, a shallower search of the same position tests first whether its value lies outside by a
margin (ProbCut: Buro, ICCA Journal 18(2), 1995); where it does not, its best move is tried first.
The principal variation has an open window and is exempt from both. Proofs use neither.

**A node** is a position whose sowings are generated. It takes these steps, which the functions
below carry as comments:

1. Probe the transposition table; a sufficient bound ends the node.
2. Evaluate; at depth 0 stand pat, above it prune by futility and razoring.
3. Generate all children and prefetch their entries.
4. Bound each child by a finished game, a table or the seeds left (enhanced transposition cut-off
   and futility in one); order the children that remain open (`ordering`). A ply above depth 0,
   where no quiescence follows, evaluate them here: each counts as a node, but has no frame.
5. ProbCut: search the position itself less deep.
6. Take the next child; with other threads at work, defer one that is being searched (ABDADA:
   Weill, ICCA Journal 19(1), 1996).
7. Search it: the first in the frame's window, later ones with a null window, and once more with
   the frame's window when that fails high (principal-variation search).
8. Update the parent; a value of beta or more ends the node.
9. Store the result.

A child's window is the parent's, shifted by the gain, and negated when the other side moves. The
loop is compiled twice, for estimates and for proofs, so that a proof carries nothing of what only
estimates need. Since the stack is in arrays, a search can be paused after any node and resumed by
the same call; that is how a limit or a stop is obeyed.
"""

from typing import Final

import numpy as np

from .children import child_depth, children_are_leaves, copy_position, generate
from .compiler import Flag, Int, clock_ns, inlined, kernel
from .evaluation import evaluate
from .frames import (
    BUSY_MASK,
    C_CLOCK,
    C_DEADLINE,
    C_ENTERING,
    C_FUTILITY_MARGIN,
    C_FUTILITY_PLIES,
    C_NODES,
    C_PLY,
    C_PROBCUT_FROM,
    C_PROBCUT_LESS,
    C_PROBCUT_MARGIN,
    C_QUIESCENCE,
    C_RAZOR_MARGIN,
    C_READ,
    C_SHARED,
    C_STOP,
    C_TOTAL_SEEDS,
    DEFERRED,
    DONE,
    F_AGAIN,
    F_ALPHA,
    F_ALPHA_GIVEN,
    F_BEST,
    F_BEST_PIT,
    F_BETA,
    F_COUNT,
    F_CURSOR,
    F_DEPTH,
    F_GAIN,
    F_KEY,
    F_MIXED_KEY,
    F_NO_STORE,
    F_NODES_BEFORE,
    F_ORDER,
    F_SEEDS,
    F_STAGE,
    F_STORE,
    FIRST_VISIT,
    FRAME,
    FRAME_W,
    FULL_WINDOW,
    LAST_PLY,
    NULL_WINDOW,
    PAUSED,
    POSITION_W,
    PROBCUT_HIGH,
    PROBCUT_LOW,
    READ_NODES,
    TOO_DEEP,
)
from .layout import INFINITY, NO_PIT, POSITION_WORDS, PROOF, U0, U1, UNIT, Words, seeds_of
from .ordering import bound_and_order, move_to_front, next_child, take_value, weigh_leaves
from .state import Search
from .tt import (
    PIT_AT,
    WORK_AT,
    bucket_of,
    entry_bounds,
    entry_depth,
    entry_pit,
    mixed_key,
    own_key,
    pack_estimate,
    pack_proof,
    tt_probe,
    tt_store,
    work_grade,
)

SEEDS_ABOVE_TABLES: Final = 6
"""ABDADA marks children of frames with this many seeds more than the endgame tables cover."""


@kernel
def begin(s: Search, position: Words, store: int, goal: tuple[int, int, int]) -> None:
    """Set up frame 0: a position, the mover's store, and ``goal`` = (depth, alpha, beta)."""
    ints, control = s.stack.ints, s.stack.control
    for i in range(POSITION_WORDS):
        s.stack.words[i] = position[i]
    ints[F_DEPTH] = goal[0]
    ints[F_ALPHA] = goal[1]
    ints[F_BETA] = goal[2]
    ints[F_SEEDS] = seeds_of(position, U0)
    ints[F_STORE] = store
    control[C_PLY] = 0
    control[C_ENTERING] = 1


@inlined
def tt_cutoff(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> tuple[Flag, Int]:
    """Probe the table for a frame; return whether that ends the node, and the pit to try first."""
    ints = s.stack.ints
    a = own_key(s.variant, s.stack.words, w, ints[f + F_STORE])
    h = mixed_key(s.variant, s.stack.words, w, a)
    ints[f + F_MIXED_KEY] = np.int64(h)
    data = tt_probe(s.entries, bucket_of(h, s.bits), a, h)
    if data == U0:
        return False, NO_PIT
    lower, upper = entry_bounds(data, PROOF if proving else ints[f + F_DEPTH])
    if lower >= ints[f + F_BETA] or lower == upper:
        ints[f + F_BEST] = lower
        return True, entry_pit(data)
    if upper <= ints[f + F_ALPHA]:
        ints[f + F_BEST] = upper
        return True, entry_pit(data)
    return False, entry_pit(data)


@inlined
def static_prune(s: Search, w: np.uint64, f: np.uint64) -> Flag:
    """Evaluate a frame; return whether the evaluation ends the node.

    At depth 0 the evaluation is a lower bound that captures and re-turns may raise. Above, against
    a null window, it is returned where it lies far enough outside the window, and decides on which
    side ProbCut tests.
    """
    ints, control = s.stack.ints, s.stack.control
    depth, alpha, beta = ints[f + F_DEPTH], ints[f + F_ALPHA], ints[f + F_BETA]
    stand = evaluate(s.variant, s.weights, s.stack.words, w)
    if depth <= 0:
        ints[f + F_NO_STORE] = 1
        ints[f + F_BEST] = stand
        ints[f + F_ALPHA] = max(alpha, stand)
        return stand >= beta or depth <= -control[C_QUIESCENCE]
    if beta - alpha > 1:
        return False
    if depth >= control[C_PROBCUT_FROM]:
        ints[f + F_STAGE] = PROBCUT_HIGH if stand >= beta else PROBCUT_LOW
    less = stand - control[C_FUTILITY_MARGIN] * depth
    more = stand + control[C_RAZOR_MARGIN] * depth
    if depth > control[C_FUTILITY_PLIES] or (less < beta and more > alpha):
        return False
    ints[f + F_NO_STORE] = 1
    ints[f + F_BEST] = less if less >= beta else more
    return True


@inlined
def enter_node(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> None:
    """Enter a node: end it by table or evaluation, else generate and order its children."""
    ints, control = s.stack.ints, s.stack.control
    ints[f + F_ALPHA_GIVEN] = ints[f + F_ALPHA]
    ints[f + F_BEST] = -INFINITY
    ints[f + F_BEST_PIT] = NO_PIT
    ints[f + F_CURSOR] = 0
    ints[f + F_COUNT] = 0
    ints[f + F_STAGE] = FIRST_VISIT
    ints[f + F_NODES_BEFORE] = control[C_NODES]
    # Step 1. Probe the transposition table.
    is_cut, table_pit = tt_cutoff(s, w, f, proving)
    ints[f + F_NO_STORE] = is_cut
    if is_cut:
        return
    # Step 2. Evaluate and prune.
    if not proving and static_prune(s, w, f):
        return
    # Steps 3 and 4. Generate, bound and order the children.
    bound_and_order(s, w, f, generate(s, w, f), table_pit, proving)


@inlined
def shallow_search(s: Search, w: np.uint64, f: np.uint64) -> None:
    """Push ProbCut's frame: the same position, less deep, with a null window beyond the margin."""
    ints, margin = s.stack.ints, s.stack.control[C_PROBCUT_MARGIN]
    f2 = f + FRAME
    copy_position(s, w, w + FRAME_W)
    ints[f2 + F_SEEDS] = ints[f + F_SEEDS]
    ints[f2 + F_STORE] = ints[f + F_STORE]
    ints[f2 + F_DEPTH] = ints[f + F_DEPTH] - s.stack.control[C_PROBCUT_LESS]
    high = ints[f + F_STAGE] == PROBCUT_HIGH
    ints[f2 + F_ALPHA] = ints[f + F_ALPHA] + (margin if high else -margin)
    ints[f2 + F_BETA] = ints[f2 + F_ALPHA] + 1


@inlined
def apply_probcut(s: Search, f: np.uint64) -> None:
    """Cut off if ProbCut's search fails outside the margin; else try its best move first."""
    ints, margin = s.stack.ints, s.stack.control[C_PROBCUT_MARGIN]
    value = ints[f + FRAME + F_BEST]
    high = ints[f + F_STAGE] == PROBCUT_HIGH
    ints[f + F_STAGE] = FIRST_VISIT
    if high and value - margin >= ints[f + F_BETA]:
        ints[f + F_BEST] = value - margin
        ints[f + F_BEST_PIT] = ints[f + FRAME + F_BEST_PIT]
        ints[f + F_COUNT] = 0
    elif not high and value + margin <= ints[f + F_ALPHA]:
        ints[f + F_BEST] = value + margin
        ints[f + F_COUNT] = 0
    else:
        move_to_front(ints, f, ints[f + FRAME + F_BEST_PIT])


@inlined
def descend(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> None:
    """Push the frame of ProbCut or of the next child: position, depth and window."""
    ints = s.stack.ints
    if not proving and ints[f + F_STAGE] >= PROBCUT_HIGH:
        # Step 5. ProbCut.
        shallow_search(s, w, f)
        return
    # Step 7. The first child in the frame's window, the others with a null window.
    child = next_child(ints, f)
    gain, again = ints[f + child + F_GAIN] >> 2, ints[f + child + F_AGAIN]
    alpha, beta = ints[f + F_ALPHA], ints[f + F_BETA]
    f2 = f + FRAME
    if (
        not proving
        and beta - alpha > 1
        and ints[f + F_STAGE] == FIRST_VISIT
        and ints[f + F_CURSOR] > 0
    ):
        ints[f + F_STAGE] = NULL_WINDOW
        beta = alpha + 1
    copy_position(s, w + POSITION_W * (child + U1), w + FRAME_W)
    seeds, store = ints[f + F_SEEDS], ints[f + F_STORE]
    ints[f2 + F_SEEDS] = seeds - gain
    ints[f2 + F_DEPTH] = child_depth(s, f, again, proving)
    if again != 0:
        ints[f2 + F_STORE] = store + gain
        ints[f2 + F_ALPHA] = alpha - gain * UNIT
        ints[f2 + F_BETA] = beta - gain * UNIT
    else:
        ints[f2 + F_STORE] = s.stack.control[C_TOTAL_SEEDS] - store - seeds
        ints[f2 + F_ALPHA] = gain * UNIT - beta
        ints[f2 + F_BETA] = gain * UNIT - alpha


@inlined
def update_parent(s: Search, f: np.uint64, proving: Flag) -> None:
    """Update a frame with the value of the child, or of the ProbCut search, above it."""
    ints = s.stack.ints
    if not proving and ints[f + F_STAGE] >= PROBCUT_HIGH:
        apply_probcut(s, f)
        return
    child = next_child(ints, f)
    gain = (ints[f + child + F_GAIN] >> 2) * UNIT
    value = ints[f + FRAME + F_BEST]
    value = gain + value if ints[f + child + F_AGAIN] != 0 else gain - value
    if (
        not proving
        and ints[f + F_STAGE] == NULL_WINDOW
        and ints[f + F_ALPHA] < value < ints[f + F_BETA]
    ):
        ints[f + F_STAGE] = FULL_WINDOW
        return
    ints[f + F_STAGE] = FIRST_VISIT
    take_value(ints, f, child, value)


@inlined
def store_result(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> None:
    ints = s.stack.ints
    if ints[f + F_NO_STORE] != 0:
        return
    best, alpha, beta = ints[f + F_BEST], ints[f + F_ALPHA_GIVEN], ints[f + F_BETA]
    a = own_key(s.variant, s.stack.words, w, ints[f + F_STORE])
    h = np.uint64(ints[f + F_MIXED_KEY])
    bucket = bucket_of(h, s.bits)
    old = tt_probe(s.entries, bucket, a, h)
    if proving:
        lower, upper = -INFINITY, INFINITY
        if entry_depth(old) == PROOF:
            lower, upper = entry_bounds(old, PROOF)
        lower = max(lower, best) if best > alpha else lower
        upper = min(upper, best) if best < beta else upper
        data = pack_proof(lower, upper)
    elif entry_depth(old) == PROOF:
        return
    else:
        data = pack_estimate(best, alpha, beta)
    pit = ints[f + F_BEST_PIT]
    if pit == NO_PIT and old != U0:
        pit = entry_pit(old)
    data |= np.uint64(ints[f + F_DEPTH]) | (np.uint64(pit) << PIT_AT)
    data |= work_grade(s.stack.control[C_NODES] - ints[f + F_NODES_BEFORE]) << WORK_AT
    tt_store(s.entries, bucket, a, h, data)


@inlined
def abdada_applies(s: Search, f: np.uint64) -> Flag:
    """Return whether the children of a frame are large enough to be marked."""
    return s.stack.ints[f + F_SEEDS] >= s.tables.seeds + SEEDS_ABOVE_TABLES


@inlined
def abdada_mark(s: Search, f: np.uint64, child: np.uint64, taken: Flag) -> None:
    """Mark a child as being searched by this thread, or remove the mark."""
    h = np.uint64(s.stack.ints[f + child + F_KEY])
    if taken:
        s.busy[h & BUSY_MASK] = h
    elif s.busy[h & BUSY_MASK] == h:
        s.busy[h & BUSY_MASK] = U0


@inlined
def abdada_defer(s: Search, f: np.uint64) -> Flag:
    """Move the next child to the end of the order, once, if another thread searches it."""
    ints = s.stack.ints
    cursor, last = np.uint64(ints[f + F_CURSOR]), np.uint64(ints[f + F_COUNT]) - U1
    item = ints[f + F_ORDER + cursor]
    h = np.uint64(ints[f + next_child(ints, f) + F_KEY])
    if not U0 < cursor < last or item >= DEFERRED or s.busy[h & BUSY_MASK] != h:
        return False
    for i in range(cursor, last):
        at = f + F_ORDER + np.uint64(i)
        ints[at] = ints[at + U1]
    ints[f + F_ORDER + last] = item + DEFERRED
    return True


@inlined
def abdada_claims(s: Search, f: np.uint64) -> Flag:
    """Mark the next child, if children are marked at all; return False where it was deferred."""
    if not abdada_applies(s, f):
        return True
    if abdada_defer(s, f):
        return False
    abdada_mark(s, f, next_child(s.stack.ints, f), True)
    return True


@inlined
def visit(s: Search, w: np.uint64, f: np.uint64, entering: Flag, most: int, proving: Flag) -> None:
    """Enter a node, or go on with its leaves; up to ``most`` nodes."""
    if entering:
        s.stack.control[C_NODES] += 1
        enter_node(s, w, f, proving)
    if not proving and children_are_leaves(s, f):
        weigh_leaves(s, w, f, most)


@inlined
def next_look(s: Search, limit: int, look: int) -> Int:
    """Return the nodes at which the search looks next whether it pauses; 0 to pause now."""
    control = s.stack.control
    if control[C_NODES] < look and control[C_STOP] == 0:
        return look
    if control[C_STOP] != 0 or control[C_NODES] >= limit:
        return 0
    if control[C_DEADLINE] == 0:
        return limit
    if control[C_NODES] >= control[C_READ]:
        if clock_ns(control[C_CLOCK]) >= control[C_DEADLINE]:
            return 0
        control[C_READ] = control[C_NODES] + READ_NODES
    return min(limit, control[C_READ])


@inlined
def search_loop(s: Search, budget: int, proving: Flag) -> Int:
    """Search as `run` does; ``proving`` is a constant to the compiler, but no literal."""
    control, ints = s.stack.control, s.stack.ints
    limit = control[C_NODES] + budget
    look: Int = 0
    ply = np.uint64(control[C_PLY])
    entering = control[C_ENTERING] != 0
    while True:
        f, w = ply * FRAME, ply * FRAME_W
        weighs = not proving and children_are_leaves(s, f)
        if entering or weighs:
            look = next_look(s, limit, look)
            if look == 0:
                control[C_PLY] = np.int64(ply)
                control[C_ENTERING] = np.int64(entering)
                return PAUSED
            visit(s, w, f, entering, look, proving)  # steps 1 to 4
        if ints[f + F_CURSOR] < ints[f + F_COUNT]:
            if weighs:
                entering = False
                continue
            if ply + U1 == LAST_PLY:
                return TOO_DEEP
            # Steps 5 to 7. Push the next frame, unless another thread searches it.
            if proving and control[C_SHARED] != 0 and not abdada_claims(s, f):
                entering = False
                continue
            descend(s, w, f, proving)
            ply += U1
            entering = True
            continue
        # Step 9. Store, and return to the parent.
        store_result(s, w, f, proving)
        if ply == U0:
            return DONE
        ply -= U1
        if proving and control[C_SHARED] != 0 and abdada_applies(s, f - FRAME):
            abdada_mark(s, f - FRAME, next_child(ints, f - FRAME), False)
        # Step 8. Update the parent.
        update_parent(s, f - FRAME, proving)
        entering = False


@inlined
def estimate(s: Search, budget: int) -> Int:
    """Search to a depth, as `mancala.engine.kernels.root.run` does."""
    return search_loop(s, budget, np.bool_(False))


@kernel
def prove(s: Search, budget: int) -> Int:
    """Search for a proof, as `mancala.engine.kernels.root.run` does."""
    return search_loop(s, budget, np.bool_(True))
