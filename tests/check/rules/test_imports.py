"""Rules about imports of host modules."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options


@pytest.fixture
def find(plugin):
    def find_problems(source: str, target: str | None = None, **files: str) -> list[tuple[str, tuple[str, ...]]]:
        directory = plugin({"__init__.py": source, **files})
        result = check(directory, Options(static=True, target=target))
        return [(one.code, one.releases) for one in result.findings if one.code.startswith("HS73")]

    return find_problems


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from agent.memory_provider import MemoryProvider", []),
        ("from hermes_constants import get_hermes_home", []),
        ("import hermes_constants", []),
        ("from hermes_cli.config import load_config", []),
        ("from tools.registry import tool_error", []),
        ("from gateway.platforms import base", []),
        ("from agent.memory_provider import MemoryStore", ["HS731"]),
        ("from agent.no_such_module import x", ["HS731"]),
        ("import run_agent", ["HS732"]),
        ("from agent.auxiliary_client import call_llm", ["HS732"]),
        ("from gateway.session_context import get_session_env", []),
        ("from tools.approval import check_dangerous_command", ["HS732"]),
        ("from tools.approval import _get_approval_mode", ["HS731"]),
        ("from hermes_constants import _x", ["HS731"]),
        ("try:\n    import run_agent\nexcept ImportError:\n    run_agent = None", []),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from run_agent import AIAgent", []),
        ("from .agent import x", []),
        ("import agents", []),
    ],
)
def test_internal_and_missing_host_modules_are_reported(find, line, expected):
    assert [code for code, _ in find(f"{line}\n")] == expected


def test_own_module_is_not_a_host_module(find):
    assert find("from tools import roll\n", **{"tools.py": "roll = 1\n"}) == []


def test_newer_module_is_reported_for_earlier_releases(find):
    ((code, releases),) = find("from agent.secret_sources.base import SecretSource\n", target=">=0.13")
    assert code == "HS731"
    assert releases[0] == "0.13.0"
    assert "0.19.0" not in releases


def test_internal_module_gets_a_replacement(plugin):
    directory = plugin({"__init__.py": "def register(ctx):\n    import model_tools\n"})
    (fix,) = [one.fix for one in check(directory, Options(static=True)).findings if one.code == "HS732"]
    assert "ctx.dispatch_tool" in fix


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ctx._manager", ["HS733"]),
        ("ctx.manifest", []),
        ("ctx.__class__", []),
        ("self._ctx.profile_name", []),
        ("my_ctx._own", []),
    ],
)
def test_private_attributes_of_ctx_are_reported(find, line, expected):
    assert [code for code, _ in find(f"def f(self, ctx, my_ctx):\n    return {line}\n")] == expected
