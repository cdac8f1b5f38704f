"""How long a test waits for something that must happen.

Tests wait for events, never for instants, so this bound is met only when the event never comes. It
is generous because a busy machine may take a hundred times as long as an idle one.
"""

from __future__ import annotations

from typing import Final

PATIENCE_S: Final = 120.0
