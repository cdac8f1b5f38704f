"""Every action that a server knows."""

from __future__ import annotations

from .actions import Actions
from .events import EVENT_ACTIONS
from .games import GAME_ACTIONS
from .holding import holding_actions
from .names import NAME_ACTIONS
from .quarantines import QUARANTINE_ACTIONS
from .recount import RECOUNT_ACTIONS
from .reloading import RELOAD_ACTIONS
from .replays import REPLAY_ACTIONS
from .seasons import SEASON_ACTIONS
from .switches import SWITCH_ACTIONS
from .trail import TRAIL_ACTIONS
from .undo import UNDO_ACTIONS
from .visitors import VISITOR_ACTIONS


def all_actions() -> Actions:
    """Return a registry of all actions."""
    actions = Actions()
    actions.add(*VISITOR_ACTIONS, *SWITCH_ACTIONS, *TRAIL_ACTIONS)
    actions.add(*QUARANTINE_ACTIONS, *GAME_ACTIONS, *UNDO_ACTIONS, *RECOUNT_ACTIONS)
    actions.add(*RELOAD_ACTIONS, *NAME_ACTIONS, *EVENT_ACTIONS, *SEASON_ACTIONS, *REPLAY_ACTIONS)
    actions.add(*holding_actions(actions))
    return actions
