"""`python docs` writes every page and picture that is made from code and data; each script can be run alone as well."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PICTURES = HERE / "pictures.py"

if __name__ == "__main__":
    # The pictures run commands for longer than all pages take, and are read by none of them.
    with subprocess.Popen([sys.executable, PICTURES]) as drawing:
        for script in sorted(HERE.glob("*.py")):
            if script not in (HERE / "__main__.py", PICTURES):
                runpy.run_path(str(script), run_name="__main__")
    sys.exit(drawing.returncode)
