"""Write the pictures of terminals in `docs/pictures/`: each shows what its commands print.

The commands run in an emulated terminal, in an empty directory with its own home. Only times are replaced, because they
differ from run to run.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pyte
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import MONOKAI
from rich.text import Text
from writing import ROOT

from hermes_sdk.cache import cache_dir

FOLDER = ROOT / "docs" / "pictures"
BIN = Path(sys.executable).parent
WIDTH = 104
TIME_LIMIT = 120.0

# Pages must not request fonts from another server.
_FORMAT = re.sub(r"@font-face \{\{.*?\n    \}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


@dataclass(frozen=True)
class Shot:
    """One picture.

    Attributes:
        title: The title bar of the terminal.
        commands: The commands, in order.
        before: A script that runs first and is not shown.
        keys: For a full-screen program: a text to wait for, and the keys to type then.
        rows: The maximum number of output lines.
    """

    title: str
    commands: tuple[str, ...]
    before: str = ""
    keys: tuple[tuple[str, str], ...] = ()
    rows: int = 60


PLUGIN = "hermes-sdk new plugin --no-input --name 'Team Notes' >/dev/null && cd team-notes"
MISTAKE = f"""{PLUGIN} && sed -i 's/"pre_llm_call"/"pre_lm_call"/' team_notes/__init__.py"""
SCENARIO = (
    f"{PLUGIN} && printf '%s\\n' 'plugins: [.]' 'script:' '  main:'"
    " '    - tool_calls: [{name: team_notes_add, args: {note: The demo is on Friday.}}]' '    - text: Noted.'"
    " 'turns: [Remember that the demo is on Friday.]' > scenario.yaml"
)

README_TEST = (
    (ROOT / "README.md")
    .read_text(encoding="utf-8")
    .partition('```python title="test_recall.py"\n')[2]
    .partition("```")[0]
)
"""The test at the beginning of the README."""

SHOTS = {
    "start": Shot(
        "The same plugin, tested with a fake and with the fixture hermes",
        (
            "pytest -v --no-header --tb=short --show-capture=no -rN tests/test_recall.py",
            "hermes-sdk check",
        ),
        f"{MISTAKE}\ncat > tests/test_recall.py <<'END'\n{README_TEST}END",
    ),
    "check": Shot("hermes-sdk check", ("hermes-sdk check",), MISTAKE),
    "show": Shot("hermes-sdk show", ("hermes-sdk show",), PLUGIN),
    "trace": Shot("hermes-sdk trace", ("hermes-sdk trace scenario.yaml",), SCENARIO),
    "compat": Shot("hermes-sdk compat", ("hermes-sdk compat",), PLUGIN),
    "plugins": Shot(
        "hermes-sdk plugins",
        ("hermes-sdk plugins",),
        f"{PLUGIN} && hermes-sdk plugins install . --enable >/dev/null",
        (("Esc cancel", "\x1b"),),
        rows=24,
    ),
}


@dataclass
class Terminal:
    """An emulated terminal, and a shell's home and directory.

    Attributes:
        folder: The home, which contains the current directory.
        here: The current directory.
        shown: The rows so far.
    """

    folder: Path
    here: Path
    shown: list[Text] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        """Return the environment of the commands."""
        return {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder),
            "GIT_AUTHOR_NAME": "Ada Lovelace",
            "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "Ada Lovelace",
            "GIT_COMMITTER_EMAIL": "ada@example.com",
            "HERMES_SDK_CACHE": str(cache_dir()),
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PYTEST_ADDOPTS": "--color=yes -p no:cacheprovider -p no:xdist -p no:hypothesispytest",
        }

    def prepare(self, script: str) -> None:
        """Run a script without showing it, and stay in the directory where it ends."""
        done = subprocess.run(
            ["bash", "-ec", f"{script}\npwd"],
            cwd=self.here,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        self.here = Path(done.stdout.splitlines()[-1])

    def type(self, command: str, shot: Shot) -> None:
        """Run a command, and keep its output."""
        if not shot.keys:
            self.shown.append(Text.assemble(("$ ", "bold green"), (command, "bold")))
        self.shown += list(_run(command, self, shot))[: shot.rows]


def _run(command: str, terminal: Terminal, shot: Shot) -> Iterator[Text]:
    screen = pyte.HistoryScreen(WIDTH, 24 if shot.keys else 400)
    stream = pyte.ByteStream(screen)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", screen.lines, WIDTH, 0, 0))
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=terminal.here,
        env=terminal.environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    left = list(shot.keys)
    frame: list[Text] = []
    end = time.monotonic() + TIME_LIMIT
    while time.monotonic() < end and select.select([ours], [], [], TIME_LIMIT)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux raises EIO when the last process has closed the terminal.
            break
        if not data:
            break
        stream.feed(data)
        if left and left[0][0] in "\n".join(screen.display):
            # The picture shows the screen before the key that ends the command.
            frame = _rows(screen)
            os.write(ours, left.pop(0)[1].encode())
    os.close(ours)
    process.kill()
    process.wait()
    yield from frame or _rows(screen)


def _rows(screen: pyte.Screen) -> list[Text]:
    rows = [_row(screen, number) for number in range(screen.lines)]
    while rows and not rows[-1].plain.strip():
        rows.pop()
    return rows


def _row(screen: pyte.Screen, number: int) -> Text:
    cells = [screen.buffer[number][column] for column in range(screen.columns)]
    told = "".join(cell.data for cell in cells).rstrip()
    row = Text()
    for style, run in groupby(cells[: len(told)], key=_style):
        row.append("".join(cell.data for cell in run), style)
    row.plain = re.sub(r"\bin \d+\.\d+s", "in 0.7s", row.plain)
    return row


def _style(cell: Any) -> Style:
    return Style(color=_color(cell.fg), bgcolor=_color(cell.bg), bold=cell.bold, reverse=cell.reverse)


def _color(name: str) -> str | None:
    if name == "default":
        return None
    plain = name.replace("bright", "bright_").replace("brown", "yellow")
    if plain == "bright_black":  # The theme's colour is too dark to read.
        return "#a0a0a0"
    return f"#{name}" if re.fullmatch(r"[0-9a-f]{6}", name) else plain


def draw(name: str) -> str:
    """Return the picture of a terminal as SVG."""
    shot = SHOTS[name]
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(Path(folder), Path(folder) / "work")
        terminal.here.mkdir()
        if shot.before:
            terminal.prepare(shot.before)
        for command in shot.commands:
            terminal.type(command, shot)
        console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor", force_terminal=True)
        for row in terminal.shown:
            row.plain = row.plain.replace(folder, "~")
            console.print(row, no_wrap=True, overflow="crop", highlight=False)
    return console.export_svg(title=shot.title, theme=MONOKAI, code_format=_FORMAT, unique_id=name)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    # The commands are independent processes.
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        for name, picture in zip(SHOTS, executor.map(draw, SHOTS), strict=True):
            (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")
