"""Whether a process is alive: a server that is not a child of its client watches it."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import ctypes

    _SYNCHRONIZE = 0x0010_0000
    _TIMED_OUT = 0x102

    def is_alive(process: int) -> bool:
        """Does a process of this machine exist?"""
        kernel = ctypes.WinDLL("kernel32")
        handle = kernel.OpenProcess(_SYNCHRONIZE, 0, process)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == _TIMED_OUT)
        finally:
            kernel.CloseHandle(handle)

else:

    def is_alive(process: int) -> bool:
        """Does a process of this machine exist?"""
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return True
        return process > 0
