"""The prose linter reports bad phrases with their lines, and skips code."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from docs.blocks import ROOT

PROSE = runpy.run_path(str(ROOT / ".ci" / "prose.py"))

BAD = """\
Who runs plugins installs, updates and enables them with this.
A memory provider is held to the whole of its contract by a class of three lines.
`…` stands for what was left out.
It belongs into the environment that runs them.
Teach it one thing more.
Hold a plugin against the rules of the host.
It hides the exception, and tells of it at DEBUG only.
When that is meant: exclude it.
If that is meant, say so in the test.
Whoever is killed halfway leaves the plugin as it was, or as it was to be.
A plugin is meant by its key.
The file with the findings of old.
Say what a rule of the check means.
Name of the plugin for people.
Ask nothing: take the defaults for what is not given.
A variable that the manifest does not tell of.
The plugin stops to load.
All of them, also those that never use it.
An error, unless it shall replace the other.
Who installs the wheel gets a plugin that misses its manifest.
Look at the name, the ref and the network.
Leave --ref away.
uv is not installed, which resolves dependencies as of a date.
The arguments of {name} are no JSON.
There was no end after 60 s, and it was stopped.
Give what can hang a time limit of its own.
Say here what the tool does.
Let a text wait a moment for others of the same user, with which it becomes one.
There was nothing to complain about in team-notes.
It is the guide s boot list.
What has no release beside it is in all of them.
The list, as it is now.
It is a very unique tool.
Look at more complete ones.
""".splitlines()

GOOD = """\
To operate plugins, install, update and enable them.
A three-line test class checks a provider against the full contract.
If this is expected, declare it in the test.
There is no plugin in it, and here are no files: it is no longer there.
The module is meant for plugins.
Send /stop to cancel.
A more perfect name is more possible, at most true.
""".splitlines()


def lint(text: str, name: str, folder: Path) -> list[tuple[int, str]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return [(found.line, found.phrase) for found in PROSE["lint"](PROSE["prose"](path))]


@pytest.mark.parametrize("sentence", BAD)
def test_linter_reports_unidiomatic_sentence(sentence: str, tmp_path: Path) -> None:
    assert lint(sentence, "page.md", tmp_path)


@pytest.mark.parametrize("sentence", GOOD)
def test_linter_accepts_plain_english(sentence: str, tmp_path: Path) -> None:
    assert not lint(sentence, "page.md", tmp_path)


def test_linter_skips_code_in_markdown(tmp_path: Path) -> None:
    text = "One.\n\n```sh\nit shall be\n```\n\n`shall`, <!-- shall --> [page](shall.md)\n\nIt\nshall be.\n"
    assert lint(text, "page.md", tmp_path) == [(10, "shall")]


def test_linter_reads_strings_and_comments_of_python(tmp_path: Path) -> None:
    text = 'shall = 1\n\n\n# A comment that goes on: it is\n# no text.\nerror = f"{text} tells "\\\n    "of it"\n'
    assert lint(text, "module.py", tmp_path) == [(4, "it is no text"), (6, "tells of")]


def test_linter_reads_pages_templates_and_package() -> None:
    read = {path.relative_to(ROOT).as_posix() for path in PROSE["files"]()}
    assert {"README.md", "docs/how-to/check.md", "hermes_sdk/cli/check.py"} <= read
    assert "templates/_hooks/answer_rules.py" in read
