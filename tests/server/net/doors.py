"""A guard for tests that are about something else."""


class OpenDoor:
    """A guard that lets every connection in."""

    def admits(self, _address: str) -> bool:
        return True

    def closed(self, _address: str) -> None:
        """Count nothing."""

    def trusts(self, _address: str) -> bool:
        """Return False: no address is a proxy's."""
        return False
