"""Where the process `parspec` begins: Ctrl-C ends it quietly, also while it is being loaded.

Nothing is imported here that takes time. While a command line is answered, Ctrl-C does what the
command makes of it; before and afterwards, what the system does.
"""

from __future__ import annotations

import signal
import sys

from parspec.interpreter.commands.outcome import INTERRUPTED


def main() -> int:
    """Runs the command line of the process and returns its exit code."""
    heard = signal.getsignal(signal.SIGINT)  # in the background of a shell it is ignored
    quiet = signal.SIG_DFL if heard is signal.default_int_handler else heard
    signal.signal(signal.SIGINT, quiet)
    from parspec.interpreter.commands import main as command_line

    try:
        signal.signal(signal.SIGINT, heard)
        return command_line.main()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, quiet)


if __name__ == "__main__":
    sys.exit(main())
