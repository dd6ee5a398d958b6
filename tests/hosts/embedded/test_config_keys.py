"""Keys of config.yaml that the embedded host follows, does not support, or ignores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import hermes_sdk
from hermes_sdk import contract
from hermes_sdk.contract.loader import known_releases
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.builtins import BUILTINS
from hermes_sdk.hosts.embedded.config_keys import find_rule, list_changes, read_rules
from hermes_sdk.hosts.interface import NotSupported

USES = {"gateway", "load", "turn", *BUILTINS}


def list_keys(defaults: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in defaults.items():
        if isinstance(value, Mapping) and value:
            yield from list_keys(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"


@pytest.fixture(scope="module")
def keys() -> dict[str, str]:
    """Return the keys of all releases, each with the newest release that has it."""
    found: dict[str, str] = {}
    for release in known_releases():
        found |= dict.fromkeys(list_keys(contract.load(release).section("default_config")["values"]), release)
    return found


def test_config_keys_of_all_releases_are_classified(keys: dict[str, str]) -> None:
    unknown = {key: release for key, release in keys.items() if find_rule(key) is None}
    assert not unknown, "add them to hermes_sdk/hosts/embedded/config_keys.toml"


def test_rules_name_only_known_keys(keys: dict[str, str]) -> None:
    assert [rule for rule in read_rules() if not any(f"{key}.".startswith(f"{rule}.") for key in keys)] == []


def test_rules_for_unsupported_keys_name_known_uses() -> None:
    assert {use for rule in read_rules().values() for use in rule.uses} <= USES
    assert all(bool(rule.uses) == (rule.fate == "refused") for rule in read_rules().values())


def test_host_reads_keys_that_are_listed_as_read() -> None:
    hosts = Path(hermes_sdk.__file__).parent / "hosts"
    files = (file for file in hosts.rglob("*.py") if "real" not in file.relative_to(hosts).parts)
    code = "".join(file.read_text(encoding="utf-8") for file in files)
    names = {key.rpartition(".")[2] for key, rule in read_rules().items() if rule.fate == "read"}
    assert [name for name in sorted(names) if f'"{name}"' not in code] == []


def test_only_values_that_differ_from_defaults_are_changes() -> None:
    defaults = contract.load("0.22.2").section("default_config")["values"]
    assert list(list_changes(defaults, defaults)) == []
    changed = {"compression": {"max_attempts": 1, "unknown": 1}, "agent": None, "timezone": "UTC"}
    assert list(list_changes(changed, defaults)) == ["compression.max_attempts", "timezone"]


REFUSED = {
    "compression.protect_first_n": (1, lambda host: host.chat("Hello.")),
    "display.turn_completion_explainer": (False, lambda host: host.chat("Hello.")),
    "privacy.redact_pii": (True, lambda host: host.gateway()),
    "file_read_max_chars": (5, lambda host: host.call_tool("read_file", path="none.txt")),
    "secrets.bitwarden.enabled": (True, lambda host: host.rescan()),
}


@pytest.mark.parametrize("key", REFUSED)
def test_changed_key_is_not_supported_when_used(key: str, start) -> None:
    value, begin = REFUSED[key]
    host = start("def register(ctx): pass", release="0.22.2")
    for name in reversed(key.split(".")):
        value = {name: value}
    Home(host.home).update_config(value)
    with pytest.raises(NotSupported, match=f"follow `{key}` of config.yaml: it changes ") as refused:
        begin(host)
    assert "remove the key" in str(refused.value.fix)
