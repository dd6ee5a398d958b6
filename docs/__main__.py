"""`python docs` writes every page and picture that is made from code and data; each script can be run alone as well."""

from __future__ import annotations

import runpy
from pathlib import Path

if __name__ == "__main__":
    for script in sorted(Path(__file__).parent.glob("*.py")):
        if script.name != "__main__.py":
            runpy.run_path(str(script), run_name="__main__")
