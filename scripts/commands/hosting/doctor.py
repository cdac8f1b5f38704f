"""``mancala doctor``: what a server would find on this machine, before it hurts."""

from ...console.options import JsonOption
from ...console.store import ConfigOption, StoreOption, config_of


def command(
    *, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Look at the store, the broker, the ports and the environment of a server.

    Something is published to the broker and read back. 'mancala serve --check-config --connect'
    prints the same. Ends with 1 if something is not as a server needs it.
    """
    from ...console.doctor import examine, report

    report(examine(config_of(config, store), config), json=json)
