"""Write every generated page and picture: `python docs`. Each script can also be run alone."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PICTURES = HERE / "pictures.py"

if __name__ == "__main__":
    # Draw the pictures in parallel, because they take longer than all pages, which do not depend on them.
    with subprocess.Popen([sys.executable, PICTURES]) as drawing:
        for script in sorted(HERE.glob("*.py")):
            if script not in (HERE / "__main__.py", PICTURES):
                runpy.run_path(str(script), run_name="__main__")
    sys.exit(drawing.returncode)
