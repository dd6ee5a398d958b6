"""Hostile documents do not hang, crash or exhaust a command: all are read by parsers with limits."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from hermes_sdk.documents import DocumentError, parse_json, parse_toml, read_text
from hermes_sdk.manifest import load_yaml, parse_text
from hermes_sdk.manifest.load import YamlReader

ROOT = Path(__file__).parents[2]
BRACKETS = "[" * 100_000
LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(40))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{n + 1}: &a{n + 1} {{<<: [*a{n}, *a{n}]}}\n" for n in range(40))

YAML = [
    BRACKETS,
    "- " * 50_000,
    "{a: " * 20_000,
    f"name: {'x' * 10_000_000}",
    LAUGHS,
    MERGES,
    "a: &a [*a]",
    f"a: 1{':1' * 200_000}",
]
HOSTILE: list[tuple[Callable[[str], Any], str]] = [
    *((partial(load_yaml, reader=reader), text) for text in YAML for reader in get_args(YamlReader)),
    (parse_json, BRACKETS),
    (parse_json, '{"a":' * 100_000),
    (parse_json, f'["{"x" * 70_000_000}"]'),
    (parse_toml, f"a = {BRACKETS}"),
    (parse_toml, f"{'a.' * 40_000}a = 1"),
    (parse_toml, f"a = {{ {'a.' * 40_000}a = 1 }}"),
    (parse_toml, f"[{'a.' * 100_000}a]"),
    (parse_toml, f'name = "{"x" * 10_000_000}"'),
]


@pytest.mark.parametrize(("parse", "text"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_document_is_rejected_quickly(parse: Callable[[str], Any], text: str) -> None:
    started = time.process_time()
    with pytest.raises(DocumentError):
        parse(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("reader", get_args(YamlReader))
def test_ordinary_document_is_read(reader: YamlReader) -> None:
    assert load_yaml("a: &a [1]\nb: *a", reader) == {"a": [1], "b": [1]}
    assert parse_json('["[[[[", {"a": "\\"{"}]') == ["[[[[", {"a": '"{'}]
    assert parse_json(f'["{"[" * 1000}"]') == ["[" * 1000]
    assert parse_toml('a.b = "1.2.3"\n[c]\nd = ["x.y==1.0"]') == {"a": {"b": "1.2.3"}, "c": {"d": ["x.y==1.0"]}}


def test_reader_rejects_special_and_large_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "large").write_text("x" * 11)
    with pytest.raises(OSError, match="not a regular file"):
        read_text(tmp_path / "fifo")
    with pytest.raises(OSError, match="not a regular file"):
        read_text(tmp_path)
    with pytest.raises(DocumentError, match="larger"):
        read_text(tmp_path / "large", max_bytes=10)


def test_rejected_manifest_is_reported() -> None:
    assert [found.code for found in parse_text(BRACKETS, Path("plugin.yaml")).problems] == ["HS111"]


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HERMES_")}
    environment |= {"HERMES_HOME": str(home), "HERMES_SDK_CACHE": str(home.parent / "cache")}
    program = "import sys; from hermes_sdk.cli.main import run; run(sys.argv[1:])"
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("plugin.yaml", BRACKETS),
        ("plugin.yaml", f"name: {'x' * 10_000_000}\n"),
        ("pyproject.toml", f"a = {BRACKETS}"),
        ("config.yaml", BRACKETS),
    ],
    ids=["deep manifest", "long name", "deep project", "deep configuration"],
)
@pytest.mark.parametrize("command", [("plugins", "install"), ("show",), ("check", "--static")])
def test_hostile_document_does_not_crash_or_hang_a_command(
    tmp_path: Path, command: tuple[str, ...], file: str, text: str
) -> None:
    plugin, home = tmp_path / "demo", tmp_path / "home"
    for directory in (plugin, home):
        directory.mkdir()
    (plugin / "plugin.yaml").write_text("name: demo\n")
    (plugin / "__init__.py").write_text("def register(ctx):\n    pass\n")
    ((home if file == "config.yaml" else plugin) / file).write_text(text)
    done = run(home, *command, str(plugin))
    assert done.returncode in (0, 1, 2, 3), done.stderr
    assert "Traceback" not in done.stderr
    assert "RecursionError" not in done.stdout + done.stderr


# -- the source -------------------------------------------------------------------------------------------------------

PARSERS = re.compile(
    r"\byaml\.(?:(?:safe_|full_|unsafe_)?load|parse|compose|scan)(?:_all)?\(|\btomllib\b|\bjson\.loads?\((?!json\.dumps)"
)
ELSEWHERE = (
    "documents.py",
    "check/builder.py",  # runs in the sandbox, and parses our request
    "manifest/safe_loader.py",
    "manifest/ruamel_loader.py",
    "manifest/document.py",  # locates errors in texts that were parsed
    "contract/loader.py",  # our data
    "contract/probe/",  # runs without hermes_sdk
    "hosts/real/worker/",  # runs without hermes_sdk
    "hosts/real/attached/",  # runs without hermes_sdk, in the user's host
    "hosts/in_worker/",  # runs without hermes_sdk
    "hosts/installed/startup.py",  # runs without hermes_sdk, and parses our file
    "hosts/embedded/",  # values in the plugin's process, from models and tools; files are tested below
    "hosts/inspection/child.py",
    "hosts/processes/",  # answers of the child, which have their own limits
    "llm/",  # requests of clients in the process of the plugin
    "testing/",
    "check/rules/",  # examples
    "api/",
)


def lines(*, without: tuple[str, ...]) -> list[tuple[str, str]]:
    files = [*(ROOT / "hermes_sdk").rglob("*.py"), *(ROOT / "nix" / "tools").glob("*.py")]
    named = [(file.relative_to(ROOT).as_posix().removeprefix("hermes_sdk/"), file) for file in sorted(files)]
    return [
        (name, line.strip())
        for name, file in named
        if not name.startswith(without)
        for line in file.read_text().splitlines()
    ]


def test_other_modules_do_not_call_parsers() -> None:
    assert [found for found in lines(without=ELSEWHERE) if PARSERS.search(found[1])] == []


def test_embedded_host_reads_files_of_plugins_with_limits() -> None:
    own = ("hosts/embedded/helpers/", "hosts/embedded/builtins/syntax_check.py")  # tools that plugins call
    found = [one for one in lines(without=own) if one[0].startswith("hosts/embedded/") and "yaml." in one[1]]
    assert [one for one in found if PARSERS.search(one[1])] == []
