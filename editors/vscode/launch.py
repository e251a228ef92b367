"""Starts the copy of parspec beside this file. Any Python can read it, so that one that is too
old says so in a sentence.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("Python %d.%d is too old: parspec needs 3.11 or newer" % sys.version_info[:2])  # noqa: UP031

from parspec.interpreter.commands.main import main

sys.exit(main())
