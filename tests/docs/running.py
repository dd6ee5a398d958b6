"""Runs the blocks of one page in order in an empty directory, as a reader would."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import click
import yaml
from docs.blocks import ROOT, Block, blocks
from docs.schemas import validate
from sybil.example import SybilFailure

from hermes_sdk.cli.program import group

BIN = Path(sys.executable).parent
TIME_LIMIT = 300
_TESTS = re.compile(r"^(?:async )?def test_|^class Test", re.MULTILINE)
NETWORK = {
    name: value for name, value in os.environ.items() if name.startswith(("SSL_", "PIP_", "UV_", "http", "HTTP", "no_"))
}
_PYTEST = "pytest -q -p no:cacheprovider -W error"


class Page:
    """Reader of one page: a home, a directory, and the state of the shell.

    Args:
        directory: An empty directory.
        slow: Whether to run blocks that need a real host.
        host: Host for the tests of the page.
    """

    def __init__(self, directory: Path, *, slow: bool = False, host: str = "embedded") -> None:
        self.home = directory
        self.slow = slow
        self.host = host
        self.tests: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self.here = self.home / f"work{len(list(self.home.iterdir()))}"
        self.here.mkdir()

    def run(self, block: Block) -> None:
        """Run a block according to its language; raise AssertionError if it fails."""
        assert block.language in KINDS, f"no way to run a block of the language {block.language!r}"
        if block.new:
            self.finish()
            self._begin()
        if block.reason or (block.slow and not self.slow):
            check_calls(block.source)
            if block.language == "python":
                compile(block.source, "block", "exec")
            return
        if block.title:
            self._write(block)
        KINDS[block.language](self, block)

    def finish(self) -> None:
        """Run the collected tests of the page's python blocks."""
        if self.tests:
            test = self.here / "test_page.py"
            test.write_text("\n\n".join(self.tests), encoding="utf-8")
            self.tests = []
            code, output = self.command(f"{_PYTEST} --hermes-host {self.host} {test.name}")
            assert code == 0, output
            test.unlink()

    def _write(self, block: Block) -> None:
        path = self.here / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = path.read_text(encoding="utf-8").partition(f"\n{block.begin}")[0] + "\n" if block.begin else ""
        path.write_text(kept + block.source, encoding="utf-8")

    def command(self, text: str) -> tuple[int, str]:
        """Run a command with bash in the directory where the previous one ended; return its exit code and output."""
        file = self.home / ".directory"
        done = subprocess.run(
            ["bash", "-c", f"{text}\ncode=$?; pwd > {shlex.quote(str(file))}; exit $code"],
            cwd=self.here,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
        )
        if file.exists():
            self.here = Path(file.read_text(encoding="utf-8").strip())
            file.unlink()
        return done.returncode, done.stdout

    def environment(self) -> dict[str, str]:
        """Return the environment variables of the reader's shell."""
        names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
        return dict.fromkeys(names, "ada@example.org") | {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "HERMES_SDK_CACHE": os.environ["HERMES_SDK_CACHE"],
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
            "EXAMPLES": str(ROOT / "tests" / "examples"),
            "LANG": "C.UTF-8",
            # Readers have few pytest plugins; loading those of this environment would slow down each run.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "hermes_sdk_pytest",
            "COLUMNS": "120",
            "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", str(Path("~/.cache/uv").expanduser())),
            # Run offline, because pages must work with installed packages. Slow blocks may build a wheel.
            **(NETWORK if self.slow else {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1"}),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }


def follow(page: Path, reader: Page) -> None:
    """Run the blocks of a page; errors contain the location of the block."""
    example = None
    for example, block in blocks(page):
        try:
            reader.run(block)
        except Exception as error:
            raise SybilFailure(example, f"{error}") from error
    try:
        reader.finish()
    except AssertionError as error:
        assert example is not None
        raise SybilFailure(example, f"the tests of the page fail:\n{error}") from error


def _console(page: Page, block: Block) -> None:
    """Run the commands after ``$ ``, and compare their output with the following lines; ``…`` matches any text."""
    page.finish()
    calls = _commands(block.source)
    assert calls, "a console block has commands behind '$ '"
    for number, (command, expected) in enumerate(calls):
        code, output = page.command(command)
        wanted = block.exit if number == len(calls) - 1 else 0
        assert code == wanted, f"$ {command}\nended with {code}:\n{output}"
        printed = _lines(output.replace(str(page.home), "~"))
        assert not expected or matches(_lines("\n".join(expected)), printed), f"$ {command}\nprinted:\n" + "\n".join(
            printed
        )


def _script(page: Page, block: Block) -> None:
    page.finish()
    code, output = page.command(f"set -e\n{block.source}")
    assert code == block.exit, f"ended with {code}:\n{output}"


def _python(page: Page, block: Block) -> None:
    if block.title:
        compile(block.source, block.title, "exec")
    elif _TESTS.search(block.source):
        page.tests.append(block.source)
    else:
        page.finish()
        code, output = page.command(f"python - <<'END_OF_BLOCK'\n{block.source}END_OF_BLOCK")
        assert code == block.exit, output


def _data(load: Callable[[str], object]) -> Callable[[Page, Block], None]:
    return lambda _page, block: validate(load(block.source), block.title)


def _json_lines(text: str) -> object:
    return json.loads(text)


def _nix(page: Page, block: Block) -> None:
    if shutil.which("nix-instantiate") is None:
        assert os.environ.get("CI") != "true", "in CI nix-instantiate must be there: make ci-deps"
        return
    done = subprocess.run(
        ["nix-instantiate", "--parse", "--store", "dummy://", "-"],
        input=block.source,
        cwd=page.home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _calls_only(_page: Page, block: Block) -> None:
    check_calls(block.source)


def _reject(_page: Page, block: Block) -> None:
    raise AssertionError(f"a block of {block.language!r} runs nothing: say why in <!-- example: not run: … -->")


KINDS: dict[str, Callable[[Page, Block], None]] = {
    "console": _console,
    "dockerfile": _calls_only,
    "json": _data(_json_lines),
    "nix": _nix,
    "python": _python,
    "sh": _script,
    "text": _reject,
    "toml": _data(tomllib.loads),
    "yaml": _data(yaml.safe_load),
}


def check_calls(text: str) -> None:
    """Check that calls of ``hermes-sdk`` in a text use existing commands and options."""
    joined = text.replace("\\\n", " ")
    for call in re.findall(r"(?:^|[\s&;|=`])hermes-sdk( (?:[^\n|;&>`:]|:(?=\S))*|$)", joined, re.MULTILINE):
        words = shlex.split(call, comments=True)
        # Pass the settings of the group: a command caches the help option of its first context.
        context = click.Context(group, **group.context_settings)
        while isinstance(context.command, click.Group) and words and not words[0].startswith("-"):
            name = words.pop(0)
            found = context.command.get_command(context, name)
            if found is None:
                raise click.UsageError(f"No such command {name!r}.")
            context = click.Context(found, context, name, **found.context_settings)
        context.command.make_parser(context).parse_args(words)


def _commands(source: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in source.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        elif found:
            found[-1][1].append(line.rstrip())
    return found


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").rstrip().splitlines()]


def matches(expected: list[str], printed: list[str]) -> bool:
    """Return whether lines match a pattern: a line ``…`` matches any lines, and ``…`` within a line any text."""
    first, *others = _segments(expected)
    if not _begins(first, printed):
        return False
    if not others:
        return len(first) == len(printed)
    left = printed[len(first) :]
    for segment in others[:-1]:
        at = next((at for at in range(len(left) + 1) if _begins(segment, left[at:])), None)
        if at is None:
            return False
        left = left[at + len(segment) :]
    return len(left) >= len(others[-1]) and _begins(others[-1], left[len(left) - len(others[-1]) :])


def _segments(lines: list[str]) -> list[list[str]]:
    segments: list[list[str]] = [[]]
    for line in lines:
        if line == "…":
            segments.append([])
        else:
            segments[-1].append(line)
    return segments


def _begins(expected: list[str], printed: list[str]) -> bool:
    return len(expected) <= len(printed) and all(
        re.fullmatch(".*".join(map(re.escape, line.split("…"))), shown)
        for line, shown in zip(expected, printed, strict=False)
    )
