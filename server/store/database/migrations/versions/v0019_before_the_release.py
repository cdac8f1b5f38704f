"""The tables as the last program before the first release left them; nothing older is upgraded."""

revision = "0019"
down_revision = None
branch_labels = None
depends_on = None
