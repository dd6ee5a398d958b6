"""Keys of ``config.yaml`` that affect plugins, and whether the model reads, rejects or ignores them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.state import HostState


class Rule(NamedTuple):
    """Entry of `config_keys.toml` for a key; `uses` is empty unless the key is rejected."""

    fate: str
    reason: str
    uses: tuple[str, ...]


@functools.cache
def read_rules() -> Mapping[str, Rule]:
    """Return the rules by key."""
    import tomllib

    groups = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        key: Rule(fate, group["reason"], tuple(group.get("uses", ())))
        for fate, listed in groups.items()
        for group in listed
        for key in group["keys"]
    }


def find_rule(key: str) -> Rule | None:
    """Return the rule of a key, or of its closest parent with a rule."""
    while key:
        if rule := read_rules().get(key):
            return rule
        key = key.rpartition(".")[0]
    return None


def require_modelled(state: HostState, config: Mapping[str, Any], use: str) -> None:
    """Reject a configuration that changes a key with an effect on a use; see `config_keys.toml` for the uses.

    Raises:
        NotSupported: The configuration changes such a key.
    """
    for key in list_changes(config, state.contract.section("default_config")["values"]):
        rule = find_rule(key)
        if rule and use in rule.uses:
            raise state.unsupported(
                f"follow `{key}` of config.yaml: {rule.reason}",
                fix="Run this test on the real host (--hermes-host=real), or remove the key from config.yaml.",
            )


def list_changes(config: Mapping[str, Any], defaults: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the dotted names of default keys whose values are changed."""
    for key, value in config.items():
        default = defaults.get(key, value)
        if not isinstance(default, Mapping) or not default:
            if value != default:
                yield f"{above}{key}"
        elif isinstance(value, Mapping):
            yield from list_changes(value, default, f"{above}{key}.")
