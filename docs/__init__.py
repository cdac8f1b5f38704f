"""The pages of the documentation and what renders them; no part of the wheel."""
