"""What an author can paste: an action as a test, and as a command."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.inspection import Action
from hermes_sdk.hosts.interface import HostKind


def write_test(kind: str, name: str, arguments: Mapping[str, Any], action: Action) -> str:
    """Write a test that does the same and expects the same."""
    value = action["value"]
    lines = [f"def test_{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_') or kind}(hermes):"]
    lines += [f"    hermes.expect_swallowed(match={re.escape(one['error'])!r})" for one in action["swallowed"]]
    if kind == "call":
        lines += [
            f"    result = hermes.call_tool({name!r}, {arguments!r})",
            f"    assert result.text == {value['text']!r}",
        ]
    elif kind == "fire":
        lines.append(f"    assert hermes.fire({name!r}, **{arguments!r}) == {value!r}")
    elif kind == "command":
        lines.append(f"    assert hermes.command({name!r}) == {value!r}")
    else:
        lines += ['    hermes.llm.script("ok")', f"    assert hermes.chat({name!r}).reply == {value['reply']!r}"]
    return "\n".join(lines) + "\n"


def write_command(
    kind: str, name: str, arguments: Mapping[str, Any], *, path: str, host: HostKind, release: str
) -> str:
    """Write the command of a terminal that does the same."""
    verb = "chat" if kind == "command" else kind
    given = ["--args", json.dumps(arguments, ensure_ascii=False)] if kind in ("call", "fire") else []
    host_options = ["--host", host] if host != "embedded" else []
    return shlex.join(["hermes-sdk", verb, *given, "--plugin", path, *host_options, "--release", release, "--", name])
