"""``python -P <this file> serve FD`` or ``python -P <this file> cli CONFIG ARGUMENT…``."""

import importlib
import importlib.util
import sys
from pathlib import Path

PACKAGE = "_hermes_sdk_worker"


def main() -> None:
    """Load this folder as a package of its own name, and run the part that the command line names."""
    folder = Path(__file__).parent
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    part, *arguments = sys.argv[1:]
    importlib.import_module(f"{PACKAGE}.{'server' if part == 'serve' else 'cli'}").main(*arguments)


if __name__ == "__main__":
    main()
