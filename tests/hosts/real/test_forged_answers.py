"""Plugins on the real host that forge answers cause an error with a message instead of a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import inspect_plugin

RELEASE = "0.19.0"

pytestmark = pytest.mark.real_host

FORGER = """\
import os, stat

for number in range(3, 100):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode):
            os.write(number, {lines!r})
    except OSError:
        pass

def register(ctx):
    pass
"""

FACTS = {"key": "p", "name": "p", "kind": "", "source": "user", "version": "", "path": "", "manifest": {}}
LISTS = (
    "tools hooks middleware commands cli_commands skills mcp_servers platforms model_providers auxiliary_tasks "
    "slack_action_handlers gateway_hooks missing_imports warnings"
)
FAILED: dict[str, Any] = {
    "schema": "hermes-sdk.show/1",
    "plugin": FACTS,
    "status": "failed",
    "error": "E",
    "context_engine": None,
    "memory_provider": None,
    "providers": {},
    **{name: [] for name in LISTS.split()},
}

STARTED = {"value": None}


@pytest.mark.parametrize(
    "answers",
    [
        [{"value": {"plugin": 1}}],
        [{"value": []}],
        [{"value": None}],
        [{"value": {**FAILED, "tools": [1]}}],
        [{"value": {**FAILED, "plugin": {**FACTS, "manifest": None}}}],
        [{"value": {**FAILED, "more": 1}}],
        [{"usage": "no such plugin"}, {"value": [{"level": "WARNING"}]}],
        [{"usage": "no such plugin"}, {"value": [1]}],
        [{"usage": "no such plugin"}, {"value": {"level": "WARNING"}}],
        [{"value": FAILED}, {"value": [{"call": 1}]}],
        [{"value": FAILED}, {"value": []}, {"value": [{"where": 1, "error": "E", "traceback": ""}]}],
        [{"value": FAILED}, {"value": []}, {"value": 5}],
        [{"more": 1}],
        [[]],
        [{"usage": 1}],
        [{"error": 1}],
        [{"late": []}],
        [{"exit": {}}],
        [{"doing": 1}, {"late": None}],
    ],
)
def test_forged_answer_is_reported(tmp_path: Path, real_python, answers: list[Any]) -> None:
    real_python(RELEASE)
    (tmp_path / "plugin.yaml").write_text("name: p\nversion: '1'\nkind: standalone\n", encoding="utf-8")
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in (STARTED, *answers))
    (tmp_path / "__init__.py").write_text(FORGER.format(lines=lines), encoding="utf-8")
    with pytest.raises(HermesSdkError) as caught:
        inspect_plugin(tmp_path, host="real", release=RELEASE)
    assert str(caught.value)
