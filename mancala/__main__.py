"""The ``mancala`` command's entry point, which names what is missing before it starts."""

import gc
import signal
import sys
from collections.abc import Iterator

from mancala import links, plugins
from mancala.extras import MissingExtraError, extra_for, missing

FAILED = 1
YOUNG = 10_000
"""Objects of which garbage is looked for: what a command loads is a hundred thousand, all kept."""


def main() -> None:
    """Run the command line; one line on stderr names a missing extra or missing links.

    Ctrl-C ends it without a traceback, from here to the end of the interpreter.
    """
    gc.set_threshold(YOUNG)
    ctrl_c = {signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ctrl_c)  # until the words for it are loaded
    try:
        from mancala.scripts.console import interrupt  # noqa: PLC0415  # after the signal is blocked

        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ctrl_c)
            interrupt.repeat_swallowed()
            from mancala.scripts.console.surroundings import surrounded  # noqa: PLC0415  # as above

            with surrounded():
                from mancala.scripts.mancala import main as command  # noqa: PLC0415  # it takes time to load

                command()
        except KeyboardInterrupt:
            interrupt.end_interrupted(json="--json" in sys.argv)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            gc.freeze()  # or the interpreter would look for garbage among all that it loaded, twice
    except (ImportError, BaseExceptionGroup) as error:
        advice = next(_advice(error), None)
        if advice is None:
            raise
        sys.stderr.write(f"mancala: {advice}\n")
        sys.exit(FAILED)


def _advice(error: BaseException) -> Iterator[ImportError]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _advice(part)
    elif isinstance(error, (MissingExtraError, plugins.PluginError)):
        yield error
    elif isinstance(error, ModuleNotFoundError):
        advice = missing(error) if extra_for(error) is not None else links.explained(error)
        if advice is error:
            advice = plugins.explained(error)
        if advice is not error:
            yield advice


if __name__ == "__main__":
    main()
