"""Users of the system that a server runs on."""

import pwd


def name_of_user(user: int) -> str:
    """Return a system user's name, or its number if it has none."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
