"""``python -m docs.styles build/styles.html`` writes the style page."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.styles import write

if __name__ == "__main__":
    write(Path(sys.argv[1]))
