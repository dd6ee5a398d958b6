"""Startup code of a recorded process: attach the recorder, and run the machine's own `sitecustomize`."""

import contextlib
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

VARIABLE = "HERMES_SDK_RECORDER"
WITH_HTTP = " http"


def _attach() -> None:
    value = os.environ.pop(VARIABLE, None)
    here = Path(__file__).parent
    # Child processes of the host are not recorded, and must not inherit the variables.
    others = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one and Path(one) != here]
    os.environ.pop("PYTHONPATH", None)
    if others:
        os.environ["PYTHONPATH"] = os.pathsep.join(others)
    sys.path[:] = [one for one in sys.path if one != str(here)]
    if value is None:
        return
    hosts = here.parents[2]
    for name, folder in (("_hermes_sdk_hosts", hosts), ("_hermes_sdk_hosts.real", hosts / "real")):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        importlib.import_module("_hermes_sdk_hosts.real.attached.recorder").attach(
            int(value.removesuffix(WITH_HTTP)), http=value.endswith(WITH_HTTP)
        )
    finally:
        sys.dont_write_bytecode = written


def _run_own() -> None:
    this = sys.modules.pop(__name__)
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module(__name__)
    # Python expects the imported module in `sys.modules`.
    sys.modules.setdefault(__name__, this)


try:
    _attach()
finally:
    _run_own()
