"""Arbitrary files in a plugin's directory lead to findings with a place, in bounded time, and never to a traceback."""

import io
import os
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Result
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST
from hermes_sdk.check.rules import RULES
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.schema import schema

STATIC = Options(static=True)
FUZZED = settings(max_examples=40, suppress_health_check=list(HealthCheck))

SOURCES = [
    content if isinstance(content, bytes) else content.encode()
    for rule in RULES
    if not rule.question
    for files in (rule.bad, rule.good)
    for name, content in files.items()
    if name.endswith(".py") and len(content) < 10_000
]
MANIFESTS = [
    content if isinstance(content, bytes) else content.encode()
    for rule in RULES
    for name, content in rule.bad.items()
    if name in ("plugin.yaml", "pyproject.toml")
]


@st.composite
def damaged_files(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """Draw a damaged file, with bytes removed, doubled, replaced or cut off."""
    data = draw(st.sampled_from(sorted(set(seeds))))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        put = draw(st.one_of(st.binary(max_size=4), st.just(data[start:end] * 2), st.text(max_size=3).map(_bytes)))
        data = data[:start] + put + data[end:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def check_invariants(directory: Path) -> Result | None:
    """Check a plugin, and assert what holds for every result; return None for a usage error."""
    try:
        result = check(directory, STATIC)
    except UsageError:
        return None
    for form in ("text", "json", "sarif", "github", "junit"):
        import_module(f"hermes_sdk.check.report.{form}").write(result, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    for finding in result.findings:
        assert (result.base / finding.path).exists() or not finding.path.isprintable()
        assert finding.line >= 1
        assert finding.column >= 1
        assert finding.message
    assert [entry for entry in result.not_run if "bug in hermes-sdk" in entry.reason] == []
    return result


@FUZZED
@given(manifest=damaged_files(MANIFESTS), source=damaged_files(SOURCES))
@example(manifest=b"", source=b"")
@example(manifest=b"\xff\xfe", source=b"\xff\xfe")
@example(manifest=b"", source=b"from agent.memory_provider import MemoryProvider\n\n\nclass")
@example(manifest=b"? [a]\n: b\n", source=b"# coding: nothing-like-it\n")
@example(manifest=b"name: a\nrequires_env: {a: [b, {c: 1}]}\nprovides_tools: {x: 1}\n", source=b"x = '\\ud800'\n")
def test_damaged_files_are_reported_as_findings(plugin, manifest, source):
    directory = plugin({})
    (directory / "plugin.yaml").write_bytes(manifest)
    (directory / "__init__.py").write_bytes(source)
    check_invariants(directory)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["tools", "0.16"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(sorted(schema()["properties"]))


@FUZZED
@given(st.dictionaries(KEYS, VALUES, max_size=4))
@example(fields={"hooks": [[]]})
def test_any_field_values_are_handled(plugin, fields):
    import yaml

    directory = plugin({})
    (directory / "plugin.yaml").write_text(yaml.safe_dump(fields, allow_unicode=True), encoding="utf-8")
    check_invariants(directory)


@FUZZED
@given(
    damaged_files(
        [b'[project]\nname = "x"\ndependencies = ["a"]\n[tool.hermes-sdk.check]\nstrict = true\n', *MANIFESTS]
    )
)
def test_damaged_project_file_is_a_usage_error_or_ignored(plugin, content):
    directory = plugin({})
    (directory / "pyproject.toml").write_bytes(content)
    check_invariants(directory)


@pytest.mark.parametrize(
    "source",
    [
        "(" * 5000,
        "-" * 100_000 + "1",
        "x" + ".a" * 20_000 + "()",
        "x = " + " + ".join(["'a'"] * 900),
        "f(" * 80 + ")" * 80,
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 900,
        "x = '" + "~/.hermes" * 50_000 + "'",
        "x = 1\n" * 100_000,
    ],
    ids=["parentheses", "minus", "attributes", "sums", "calls", "elif", "one long text", "many lines"],
)
def test_unusual_sources_are_checked_quickly(plugin, source):
    begin = time.process_time()
    check_invariants(plugin({"odd.py": source}))
    assert time.process_time() - begin < 10


def test_large_files_are_skipped(plugin):
    directory = plugin({"data.py": "x = 1\n" * 1_700_000, "plugin.yaml": f"{MANIFEST}tags: [{'a, ' * 3_400_000}]\n"})
    begin = time.process_time()
    result = check_invariants(directory)
    assert result is not None
    assert {"HS111"} <= {finding.code for finding in result.findings}
    assert time.process_time() - begin < 5


def test_special_files_are_ignored(plugin, tmp_path):
    directory = plugin({"sub/__init__.py": ""})
    os.mkfifo(directory / "pipe.py")
    (directory / "loop.py").symlink_to("loop.py")
    (directory / "gone.py").symlink_to("nowhere.py")
    (directory / "zero.py").symlink_to("/dev/zero")
    (directory / "sub" / "up").symlink_to(directory, target_is_directory=True)
    (directory / "around").symlink_to("around")
    (directory / "folder.py").mkdir()
    # macOS allows only names that are valid Unicode.
    named = "\udcff.py" if sys.platform == "linux" else "é.py"
    (directory / named).write_text("def (\n", encoding="utf-8")
    result = check_invariants(directory)
    assert result is not None
    assert [finding.code for finding in result.findings] == ["HS203"]


def test_deep_directory_tree_is_checked(plugin):
    directory = plugin({})
    deep = directory
    for _ in range(120):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "x.py").write_text("def (\n", encoding="utf-8")
    result = check_invariants(directory)
    assert result is not None
    assert [finding.severity for finding in result.findings] == ["warning"]


def test_manifest_that_is_a_pipe_or_a_directory_is_reported(plugin):
    for make in (os.mkfifo, os.mkdir):
        directory = plugin({})
        (directory / "plugin.yaml").unlink()
        make(directory / "plugin.yaml")
        result = check_invariants(directory)
        assert result is not None
        assert [finding.code for finding in result.findings] == ["HS101"]
        (directory / "plugin.yaml").unlink() if make is os.mkfifo else (directory / "plugin.yaml").rmdir()
