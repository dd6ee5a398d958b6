"""Script that starts Hermes with the recorder attached, even if Python has flags such as ``-I``."""

import importlib
import json
import runpy
import sys
from pathlib import Path

_ATTACHES = Path(__file__).parent / "path" / "sitecustomize.py"


def _main() -> None:
    """Run the Python script or main function of Hermes that the first argument describes."""
    started = json.loads(sys.argv[1])
    sys.argv = [started["program"], *sys.argv[2:]]
    runpy.run_path(str(_ATTACHES), run_name="_hermes_sdk_attach")
    if not sys.flags.safe_path:
        sys.path[0] = str(Path(started["program"]).resolve().parent)
    sys.path[:0] = started["roots"]
    if started["is_script"]:
        runpy.run_path(started["program"], run_name="__main__")
    else:
        sys.exit(importlib.import_module("hermes_cli.main").main())


_main()
