"""``python -P <this file>`` with ``serve FD`` or ``judge FD``."""

import importlib
import sys
from pathlib import Path
from types import ModuleType


def main() -> None:
    """Register the parent directories as packages without importing them, and run the requested entry point."""
    hosts = Path(__file__).parents[2]
    for name, folder in (("_hermes_sdk_hosts", hosts), ("_hermes_sdk_hosts.real", hosts / "real")):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    part, *arguments = sys.argv[1:]
    module = "server" if part == "serve" else part
    importlib.import_module(f"_hermes_sdk_hosts.real.worker.{module}").main(*arguments)


if __name__ == "__main__":
    main()
