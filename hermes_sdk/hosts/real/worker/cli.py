"""A ``hermes …`` command in its own process."""

from __future__ import annotations

import atexit
import importlib
import sys
import threading
from pathlib import Path
from typing import Any, cast

from ...processes.forks import take_streams
from . import child, module_code
from .preload import forget_host


def run(config: dict[str, Any], stdout: int, stderr: int, channel: int) -> None:
    """Run the host's console script, and exit as Python does.

    Args:
        config: The configuration for `child.become`, and the arguments of the script as ``argv``.
    """
    server_folder = Path.cwd()
    take_streams(stdout, stderr, channel)
    child.become(config)
    forget_host()
    sys.argv = ["hermes", *config["argv"]]
    code: Any = 1
    try:
        sys.exit(importlib.import_module("hermes_cli.main").main())
    except SystemExit as stop:
        code = stop.code
        if not isinstance(code, int | None):
            print(code, file=sys.stderr)
            code = 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    module_code.list_new(server_folder)
    # Private functions that Python calls at the end of a program.
    threads, handlers = cast("Any", threading), cast("Any", atexit)
    threads._shutdown()
    handlers._run_exitfuncs()
    sys.exit(code)
