"""The plans of actions."""
