"""Diagnostics for the fields of a manifest."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_sdk.manifest import Diagnostic, diagnose, parse, parse_text

PATH = Path("nowhere/plugin.yaml")


def diagnostics(text: str) -> list[Diagnostic]:
    return diagnose(parse_text(text, PATH))


def list_texts(text: str) -> list[str]:
    return [f"{it.line}:{it.column}: {it.severity} {it.code}: {it.message}" for it in diagnostics(text)]


GOOD = """\
name: my-plugin
version: 0.1.0
description: Adds a tool.
author: Ada Lovelace
kind: standalone
provides_tools: [calculate]
provides_hooks:
  - post_tool_call
requires_env:
  - ACME_KEY
  - name: ACME_TOKEN
    description: Token
    url: https://acme.example
    secret: true
manifest_version: 1
"""


def test_valid_manifest_has_no_diagnostics() -> None:
    assert list_texts(GOOD) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("off", "error HS112: the name 'off' is a boolean for YAML, not text"),
        ("5", "error HS112: the name '5' is a number for YAML, not text"),
        ("1:30", "error HS112: the name '1:30' is a number for YAML, not text"),
        ("2026-01-01", "error HS112: the name '2026-01-01' is a date for YAML, not text"),
        ("", "error HS112: name is empty, not text"),
        ("[a]", "error HS112: name is a list, not text"),
        ("''", "error HS114: the installer rejects the name ''"),
        ("a/b", "error HS114: the installer rejects the name 'a/b'"),
        ("..", "error HS114: the installer rejects the name '..'"),
        ("My Plugin", "warning HS115: name is 'My Plugin', which does not match ^[a-z0-9_-]{1,64}$"),
    ],
)
def test_invalid_name_is_reported(name: str, message: str) -> None:
    assert list_texts(f"version: '1'\nname: {name}\n") == [f"2:1: {message}"]


def test_fix_quotes_a_name_that_yaml_does_not_read_as_text() -> None:
    assert diagnostics("name: on")[0].fix == "Write name: 'on'."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("version: 1.10", "2:1: warning HS123: the version '1.10' is a number for YAML, not text"),
        ("version: 2026-01-01", "2:1: warning HS123: the version '2026-01-01' is a date for YAML, not text"),
        ("version: [1]", "2:1: error HS119: version is a list, not text"),
        ("kind: platfrom", "2:1: error HS118: kind is 'platfrom', which is unknown; did you mean 'platform'?"),
        ("kind: xyz", "2:1: error HS118: kind is 'xyz', which is unknown"),
        ("kind: 5", "2:1: error HS119: kind is a number, not text"),
        ("description:", "2:1: error HS119: description is empty, not text"),
        ("provides_tools: calculate", "2:1: error HS119: provides_tools is text, not a list"),
        ("provides_tools: [a, 5]", "2:21: error HS119: provides_tools[1] is a number, not text"),
        ("requires_env: FOO", "2:1: error HS120: requires_env is the text 'FOO', not a list"),
        ("requires_env: {A: b}", "2:1: error HS119: requires_env is a mapping, not a list"),
        ("requires_env: [A, 5]", "2:19: error HS119: requires_env[1] is a number, not text or a mapping"),
        ("requires_env: [{url: x}]", "2:16: warning HS126: requires_env[0] lacks 'name'"),
        (
            "requires_env: [{name: A, secret: maybe}]",
            "2:26: error HS119: requires_env[0].secret is text, not true or false",
        ),
        (
            "requires_env: [my key]",
            "2:16: warning HS126: requires_env[0] is 'my key', which does not match ^[A-Z][A-Z0-9_]*$",
        ),
        (
            "manifest_version: 2",
            "2:1: warning HS121: manifest_version '2' is rejected by the installer of Hermes 0.21.3",
        ),
        ("manifest_version: two", "2:1: error HS122: manifest_version is text, not a whole number"),
        ("manifest_version: 1.5", "2:1: error HS122: manifest_version is a number, not a whole number"),
        ("hooks: [post_tool_call]", "2:1: warning HS124: 'hooks' is ignored by releases up to 0.21.4"),
        ("hooks: [a]\nprovides_hooks: []", "2:1: warning HS124: 'hooks' is ignored if 'provides_hooks' is present"),
        ("kind: exclusive\nhooks: [prefetch]", "3:1: info HS117: 'hooks' has no effect in a memory plugin"),
        ("api_version: 1", "2:1: info HS125: 'api_version' is ignored by releases up to 0.20.0"),
        ("license: MIT", "2:1: info HS117: 'license' has no effect: it only documents the plugin"),
        ("dashboard: x", "2:1: info HS117: no host reads 'dashboard'"),
        ("5: x", "2:1: info HS117: a key is a number, not text; no host reads it"),
        ("provide_tools: [a]", "2:1: warning HS116: unknown key 'provide_tools'; did you mean 'provides_tools'?"),
        ("requiresEnv: [A]", "2:1: warning HS116: unknown key 'requiresEnv'; did you mean 'requires_env'?"),
        ("knid: platform", "2:1: warning HS116: unknown key 'knid'; did you mean 'kind'?"),
        (
            "requires_env:\n  - name: A\n    descripton: b",
            "4:5: warning HS116: unknown key 'requires_env[0].descripton'; did you mean 'description'?",
        ),
        ("Version: '1'", "2:1: warning HS116: unknown key 'Version'; did you mean 'version'?"),
    ],
)
def test_invalid_field_is_reported(line: str, message: str) -> None:
    assert list_texts(f"name: a\n{line}\n") == [message]


@pytest.mark.parametrize(
    "line", ["kind: ' Platform '", "version: 1.0.0", "manifest_version: 1", "hooks: []\nkind: platform"]
)
def test_value_that_the_host_normalises_is_accepted(line: str) -> None:
    assert list_texts(f"name: a\n{line}\n") == []


@pytest.mark.parametrize(
    ("requires_hermes", "refused"),
    [
        (">=0.21.4", False),
        ("0.21.4", False),
        (">=0.22,<1", False),
        (">=0.20", True),
        ("==0.21.3", True),
        ("==0.20.3", True),
        (">=0.19, <0.20.1", True),
        ("x", True),
        ("", True),
    ],
)
def test_manifest_version_2_is_reported_if_supported_hosts_reject_it(requires_hermes: str, refused: bool) -> None:
    codes = {it.code for it in diagnostics(f"name: a\nmanifest_version: 2\nrequires_hermes: '{requires_hermes}'\n")}
    assert ("HS121" in codes) == refused


@pytest.mark.parametrize(
    ("requires_hermes", "line", "release"),
    [
        (">=0.20.1", "config_schema: {}", None),
        (">=0.20", "config_schema: {}", "0.20.0"),
        ("==0.20.0", "emits: [a]", "0.20.0"),
        (">=0.20.1", "provides_locales: []", "0.21.5"),
        (">=0.22", "provides_locales: []", None),
        (">=0.21", "python_runtime: external", "0.21.3"),
    ],
)
def test_field_is_reported_if_supported_hosts_ignore_it(requires_hermes: str, line: str, release: str | None) -> None:
    messages = [it.message for it in diagnostics(f"name: a\nrequires_hermes: '{requires_hermes}'\n{line}\n")]
    key = line.partition(":")[0]
    assert messages == ([f"'{key}' is ignored by releases up to {release}"] if release else [])


def test_newer_fields_are_not_reported_with_manifest_version_2() -> None:
    assert (
        list_texts("name: a\nmanifest_version: 2\nrequires_hermes: '>=0.21.4'\ncapabilities: [tools.override]\n") == []
    )


def test_hooks_of_memory_provider_have_no_effect(tmp_path: Path) -> None:
    path = tmp_path / "plugin.yaml"
    path.write_text("name: a\nhooks: [on_pre_compress]\n")
    assert [it.code for it in diagnose(parse(path))] == ["HS124"]
    (tmp_path / "__init__.py").write_text("def register(ctx): ctx.register_memory_provider(object())\n")
    assert [it.code for it in diagnose(parse(path))] == ["HS117"]


def test_hooks_are_read_by_later_releases() -> None:
    assert list_texts("name: a\nrequires_hermes: '>=0.21.5'\nhooks: [post_tool_call]\n") == []
