"""Every action that a server knows."""

from __future__ import annotations

from mancala.server.control.actions import Actions
from mancala.server.control.events import EVENT_ACTIONS
from mancala.server.control.games import GAME_ACTIONS
from mancala.server.control.holding import holding_actions
from mancala.server.control.names import NAME_ACTIONS
from mancala.server.control.quarantines import QUARANTINE_ACTIONS
from mancala.server.control.recount import RECOUNT_ACTIONS
from mancala.server.control.reloading import RELOAD_ACTIONS
from mancala.server.control.replays import REPLAY_ACTIONS
from mancala.server.control.seasons import SEASON_ACTIONS
from mancala.server.control.switches import SWITCH_ACTIONS
from mancala.server.control.trail import TRAIL_ACTIONS
from mancala.server.control.undo import UNDO_ACTIONS
from mancala.server.control.visitors import VISITOR_ACTIONS


def all_actions() -> Actions:
    """Return a registry of all actions."""
    actions = Actions()
    actions.add(*VISITOR_ACTIONS, *SWITCH_ACTIONS, *TRAIL_ACTIONS)
    actions.add(*QUARANTINE_ACTIONS, *GAME_ACTIONS, *UNDO_ACTIONS, *RECOUNT_ACTIONS)
    actions.add(*RELOAD_ACTIONS, *NAME_ACTIONS, *EVENT_ACTIONS, *SEASON_ACTIONS, *REPLAY_ACTIONS)
    actions.add(*holding_actions(actions))
    return actions
