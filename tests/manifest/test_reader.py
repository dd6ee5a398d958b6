"""Reading a manifest returns the value of the host, or an error with its location."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.documents import MAX_DEPTH
from hermes_sdk.manifest import diagnose, load_yaml, parse, parse_text
from hermes_sdk.manifest.codes import CODES
from hermes_sdk.manifest.load import YamlReader
from hermes_sdk.manifest.reader import MAX_BYTES

PATH = Path("plugin.yaml")


def problems(data: bytes | str) -> list[str]:
    return [str(diagnostic) for diagnostic in diagnose(parse_text(data, PATH))]


# The value of such a manifest is None, because the host does not list the plugin (statement A21).
@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"name: a\nb: \xe9\n", "2:4: error HS102: byte 0xe9 is not UTF-8"),
        ("name: a\n".encode("utf-16"), "1:1: error HS102: byte 0xff is not UTF-8"),
        ("name: \ud800", "1:7: error HS102: the text contains an unpaired surrogate"),
        ("name: [\n", "2:1: error HS104: not valid YAML: did not find expected node content while parsing a flow node"),
        ("a: b: c", "1:5: error HS104: not valid YAML: mapping values are not allowed in this context"),
        ("name: 'a\nkind: b\n", "1:7: error HS104: not valid YAML: this quote is never closed"),
        ("name: a\nb: 'c\nd: 'e'\n", "2:4: error HS104: not valid YAML: this quote is never closed"),
        ('a: ["b, c]\nd: "e"\n', "1:5: error HS104: not valid YAML: this quote is never closed"),
        ("a: 'two\n  lines'\nb: \"c\n", "3:4: error HS104: not valid YAML: this quote is never closed"),
        (
            "a: 'two\n  lines'\nb: 'c' d\n",
            "3:8: error HS104: not valid YAML: did not find expected key while parsing a block mapping",
        ),
        ("a: *b", "1:4: error HS104: not valid YAML: found undefined alias"),
        ("é: a\x07", "1:5: error HS104: YAML does not allow the character U+0007"),
        ("a:\n\tb: c", "2:1: error HS105: the line is indented with a tab; YAML allows only spaces"),
        ("a:\n  \tb: c", "2:3: error HS105: the line is indented with a tab; YAML allows only spaces"),
        ("a: [\t\n\t@", "2:1: error HS105: the line is indented with a tab; YAML allows only spaces"),
        ("name: a\n---\nname: b\n", "2:1: error HS106: a second document starts here"),
        ("name: !foo a", "1:7: error HS109: the tag '!foo' is not known to the host"),
        (
            "name: !!python/name:os.system",
            "1:7: error HS109: the tag 'tag:yaml.org,2002:python/name:os.system' is not known to the host",
        ),
        ("name: a\nversion: 2026-13-01", "2:10: error HS110: YAML cannot read this value: month must be in 1..12"),
        ("a: [b, !!int '']", "1:8: error HS110: YAML cannot read this value: string index out of range"),
        ("? [a]\n: b", "1:3: error HS110: YAML cannot read this value: found unhashable key"),
        (
            "a: &x [*x]",
            "1:1: error HS111: the manifest is not parsed: an alias refers to itself, or aliases are nested too deeply",
        ),
        ("x" * (MAX_BYTES + 1), "1:1: error HS111: the manifest is larger than 64 KiB"),
        ("[" * (MAX_DEPTH + 1), "1:1: error HS111: the manifest is not parsed: nested more than 200 levels deep"),
    ],
)
def test_unreadable_manifest_has_a_located_error(data: bytes | str, problem: str) -> None:
    parsed = parse_text(data, PATH)
    assert parsed.value is None
    assert [str(diagnostic) for diagnostic in diagnose(parsed)] == [f"plugin.yaml:{problem}"]


@pytest.mark.parametrize(
    ("data", "value", "expected"),
    [
        ("", {}, ["1:1: warning HS113: the manifest has no name"]),
        ("# nothing", {}, ["1:1: warning HS113: the manifest has no name"]),
        ("null", {}, ["1:1: warning HS113: the manifest has no name"]),
        ("[]", {}, ["1:1: warning HS113: the manifest has no name"]),
        ("- a", ["a"], ["1:1: error HS107: the manifest is a list, not a mapping"]),
        ("\n\nname", "name", ["3:1: error HS107: the manifest is a single value, not a mapping"]),
        (
            b"\xef\xbb\xbfname: a\nversion: '1'",
            {"name": "a", "version": "1"},
            ["1:1: info HS103: the file starts with a byte order mark"],
        ),
        ("---\nname: a\n...\n", {"name": "a"}, []),
        ("name: a\r\nversion: '1'\r\n", {"name": "a", "version": "1"}, []),
        (
            "name: a\nversion: '1'\nname: b\n",
            {"name": "b", "version": "1"},
            ["3:1: warning HS108: 'name' is a duplicate of line 1: the host takes the last one"],
        ),
        (
            "requires_env:\n  - name: A\n    name: B\nname: a",
            {"requires_env": [{"name": "B"}], "name": "a"},
            ["3:5: warning HS108: 'name' is a duplicate of line 2: the host takes the last one"],
        ),
    ],
)
def test_readable_manifest_has_the_value_of_the_host(data: bytes | str, value: Any, expected: list[str]) -> None:
    assert parse_text(data, PATH).value == value
    assert problems(data) == [f"plugin.yaml:{problem}" for problem in expected]


def test_missing_file_or_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").mkdir()
    for path, reason in ((tmp_path / "plugin.yaml", "not a file"), (tmp_path / "none", "no such file")):
        parsed = parse(path)
        assert parsed.value is None
        assert [str(diagnostic) for diagnostic in diagnose(parsed)] == [
            f"{path.as_posix()}:1:1: error HS101: the manifest cannot be read: {reason}"
        ]


def test_valid_manifest_file_is_read_without_diagnostics(tmp_path: Path) -> None:
    path = tmp_path / "plugin.yaml"
    path.write_text("name: a\n")
    assert (parse(path).value, diagnose(parse(path))) == ({"name": "a"}, [])


# Each of these exhausts the time, memory or stack of an ordinary YAML reader.
@pytest.mark.parametrize(
    "bomb",
    [
        "a0: &a0 {k0: v}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)),
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)),
        "a: &a {b: *a}",
        "{" * 60_000,
        "[" * 60_000,
        "- " * 30_000,
        "? " * 30_000,
        "a: " + ":".join(["59"] * 20_000),
        "".join(f"key{n}: {n}\n" for n in range(5_000)),
    ],
    ids=["merge keys", "aliases", "self", "flow mappings", "flow lists", "block lists", "keys", "base 60", "many keys"],
)
@pytest.mark.parametrize("reader", get_args(YamlReader))
def test_yaml_bombs_are_rejected(bomb: str, reader: YamlReader) -> None:
    parsed = parse_text(bomb, PATH, reader=reader)
    assert diagnose(parsed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: a\nversion: '1'\nname: b\n", "3:1: error HS108: 'name' is a duplicate of line 1: the host rejects"),
        ("name: a\nversion: '1'\non: 1\ny: 2\n", '4:1: error HS108: this key, which YAML reads as "True", is a dup'),
        ("name: a\nversion: '1'\nmore: {<<: {b: 1}, <<: {c: 1}}\n", "3:20: error HS108: '<<' is a duplicate of"),
        ("name: a\nversion: '1'\n{b: c}: d\n", "3:1: error HS110: YAML cannot read this value: found unhashable key"),
        ("name: y\nversion: '1'\n", "1:1: error HS112: the name 'y' is a boolean for YAML, not text"),
        ("name: a\nversion: 1e3\n", "2:1: warning HS123: the version '1e3' is a number for YAML, not text"),
        ("name: a\nversion: '1'\nmore: [a?b]\n", "3:9: error HS104: not valid YAML: expected ',' or ']', but got"),
        ("name: a\nversion: '1'\nmore: !x 1\n", "3:7: error HS109: the tag '!x' is not known to the host"),
        ("name: a\nversion: 2026-13-01\n", "2:10: error HS110: YAML cannot read this value: month must be in 1..12"),
        ("name: a\nversion: '1'\n\tmore: 1\n", "3:1: error HS105: the line is indented with a tab"),
        ("name: a\n---\nname: b\n", "2:1: error HS106: a second document starts here"),
        ("name: 'a\nversion: 1\n", "1:7: error HS104: not valid YAML: this quote is never closed"),
        ("name: a\nversion: '\x07'\n", "2:11: error HS104: YAML does not allow the character U+0007"),
    ],
)
def test_error_that_only_newer_hosts_report_has_a_location(text: str, expected: str) -> None:
    assert str(diagnose(parse_text(text, PATH, reader="ruamel"))[0]).startswith(f"plugin.yaml:{expected}")


@pytest.mark.parametrize(
    "text", ["name: a\nversion: &x '1'\nauthor: &x b\n", "name: a\nversion: '1'\nauthor: {b: http://c:1}\n"]
)
def test_document_that_newer_hosts_accept_has_no_problem(text: str) -> None:
    assert diagnose(parse_text(text, PATH, reader="ruamel")) == []


DOCUMENT = """\
# c
name: a
requires_env:
  - A
  - {name: B}
'two words': {k: [x, y]}
5: five
base: &b {in: 1}
use:
  <<: *b
"""


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ((), (2, 1)),
        (("name",), (2, 1)),
        (("requires_env",), (3, 1)),
        (("requires_env", 0), (4, 5)),
        (("requires_env", 1), (5, 5)),
        (("requires_env", 1, "name"), (5, 6)),
        (("two words", "k", 1), (6, 22)),
        ((5,), (7, 1)),
        (("use", "in"), (8, 11)),
        (("requires_env", 7), (3, 1)),
        (("requires_env", -1), (3, 1)),
        (("none",), (2, 1)),
        (("name", "none"), (2, 1)),
    ],
)
@pytest.mark.parametrize("reader", get_args(YamlReader))
def test_position_of_keys_is_found(keys: tuple[Any, ...], place: tuple[int, int], reader: YamlReader) -> None:
    assert parse_text(DOCUMENT, PATH, reader=reader).position(*keys) == place


def test_position_of_a_duplicate_key_is_that_of_its_last_occurrence() -> None:
    assert parse_text("name: a\nname: b\n", PATH).position("name") == (2, 1)


def host_value(data: bytes) -> Any:
    """Return the value that the host reads."""
    try:
        return load_yaml(data.decode("utf-8")) or {}
    except Exception:
        return None


YAML_LIKE = st.text(st.sampled_from("ab:-# \n\t\r[]{}&*|>'\",?!<=%@`~.0123456789ey_\ufeffé🙂"), max_size=60).map(
    str.encode
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
DUMPED = st.builds(
    lambda value, flow: yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True).encode(),
    st.dictionaries(st.sampled_from(["name", "kind", "version", "requires_env", "hooks", "x"]), VALUES),
    st.sampled_from([None, True, False]),
)


@given(st.binary(max_size=60) | YAML_LIKE | DUMPED)
def test_any_bytes_have_the_value_of_the_host_or_a_located_error(data: bytes) -> None:
    parsed = parse_text(data, PATH)

    if parsed.value is None:
        assert [diagnostic.severity for diagnostic in diagnose(parsed)].count("error") == 1
    if "HS111" not in {diagnostic.code for diagnostic in diagnose(parsed)}:
        assert repr(parsed.value) == repr(host_value(data))
    for diagnostic in diagnose(parsed):
        assert diagnostic.line >= 1
        assert diagnostic.column >= 1
        assert diagnostic.message
        assert diagnostic.fix
        assert diagnostic.severity == CODES[diagnostic.code].severity


def test_reading_imports_no_validator() -> None:
    code = (
        "import sys; from pathlib import Path; from hermes_sdk.manifest import parse_text, locate;"
        "parse_text(b'name: a', Path('plugin.yaml')).value;"
        "sys.exit(bool({'jsonschema', 'packaging'} & set(sys.modules)))"
    )
    assert run([sys.executable, "-c", code], check=False).returncode == 0
