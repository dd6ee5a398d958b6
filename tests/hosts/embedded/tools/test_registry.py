"""Registration of tools, and calls of their handlers (C1 to C10, C22 to C25)."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import FunctionType
from typing import Any

import pytest
from hosts.embedded.conftest import MakeState, add_builtins, list_swallowed

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.async_bridge import AsyncBridge
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry

SCHEMA: dict[str, Any] = {"name": "t", "description": "of the schema", "parameters": {}}
Make = Callable[[HostState], ToolRegistry]


@pytest.fixture
def make() -> Iterator[Make]:
    with ExitStack() as stack:

        def make(state: HostState) -> ToolRegistry:
            registry = ToolRegistry(state)
            stack.callback(registry.close)
            return registry

        yield make


@pytest.fixture
def registry(make: Make, state: HostState) -> ToolRegistry:
    return make(state)


def says(text: Any) -> Callable[..., Any]:
    return lambda args, **kwargs: text


def add(registry: ToolRegistry, name: str, handler: Callable[..., Any], toolset: str = "ts", **more: Any) -> None:
    registry.add(**{"name": name, "toolset": toolset, "schema": SCHEMA, "handler": handler, "owner": "p", **more})


# -- registration


def test_same_name_in_same_toolset_is_replaced_silently(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    add(registry, "t", says("one"))
    add(registry, "t", says("two"))
    assert registry.dispatch("t", {}) == "two"
    assert caplog.messages == []


def test_tool_of_first_toolset_is_kept_when_names_are_equal(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    add(registry, "t", says("one"))
    add(registry, "t", says("two"), "other")
    assert registry.dispatch("t", {}) == "one"
    [record] = caplog.records
    assert (record.levelname, record.name) == ("ERROR", "tools.registry")
    assert record.message == (
        "Tool registration REJECTED: 't' (toolset 'other') would shadow existing tool from toolset 'ts'. Pass"
        " override=True to replace it."
    )


def test_override_replaces_tool_and_is_logged(registry: ToolRegistry, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    add(registry, "t", says("one"))
    add(registry, "t", says("two"), "other", override=True)
    assert registry.dispatch("t", {}) == "two"
    assert caplog.messages == ["Tool 't': toolset 'other' overriding existing toolset 'ts' (override=True opt-in)"]


def in_module(name: str) -> Callable[..., Any]:
    return FunctionType(says("two").__code__, {"__name__": name}, closure=says("two").__closure__)


@pytest.mark.parametrize(
    ("release", "module", "allowed"),
    [
        ("0.19.0", "hermes_plugins.my_cat__my_plug", True),
        ("0.19.0", "hermes_plugins.my_cat__my_plug.handlers", False),
        ("0.19.0", "some_library", True),
        ("0.22.2", "hermes_plugins.my_cat__my_plug.handlers", True),
    ],
)
def test_override_by_handler_in_submodule_depends_on_release(
    make: Make, make_state: MakeState, release: str, module: str, allowed: bool
) -> None:
    registry = make(make_state(release))
    add(registry, "t", says("one"))
    override: dict[str, Any] = {"toolset": "other", "override": True, "owner": "my-cat/my-plug"}
    if allowed:
        add(registry, "t", in_module(module), **override)
    else:
        with pytest.raises(PermissionError, match=f"^Plugin module '{module}' cannot override built-in tool 't' "):
            add(registry, "t", in_module(module), **override)
    assert registry.dispatch("t", {}) == ("two" if allowed else "one")


def test_tool_of_mcp_server_replaces_tool_of_another_mcp_server(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    add(registry, "t", says("one"), "mcp-a")
    add(registry, "t", says("two"), "mcp-b")
    assert registry.dispatch("t", {}) == "two"
    assert caplog.messages == []


def test_tool_without_schema_requires_description(registry: ToolRegistry) -> None:
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'get'"):
        add(registry, "t", says(""), schema=None)
    add(registry, "t", says("ran"), schema=None, description="given")
    assert registry.dispatch("t", {}) == "ran"


def test_description_defaults_to_that_of_schema(registry: ToolRegistry) -> None:
    add(registry, "a", says(""))
    add(registry, "b", says(""), description="mine")
    assert [registry.entries[name].description for name in "ab"] == ["of the schema", "mine"]


# -- the host's own tools


def test_builtin_tools_do_not_replace_tools_of_plugins(
    registry: ToolRegistry, state: HostState, caplog: pytest.LogCaptureFixture
) -> None:
    add(registry, "read_file", says("mine"), "my-files")
    add(registry, "cronjob", says("mine"), "cronjob")
    add_builtins(registry, state)
    assert registry.dispatch("read_file", {}) == "mine"
    assert [message.partition(" Pass")[0] for message in caplog.messages] == [
        "Tool registration REJECTED: 'read_file' (toolset 'file') would shadow existing tool from toolset 'my-files'."
    ]
    with pytest.raises(HermesSdkError, match="does not run the built-in tool 'cronjob'"):
        registry.dispatch("cronjob", {})


def test_call_of_builtin_tool_by_plugin_is_not_supported(registry: ToolRegistry, state: HostState) -> None:
    add_builtins(registry, state)
    add(registry, "t", lambda args, **kwargs: registry.dispatch("cronjob", {}))
    with pytest.raises(HermesSdkError, match="--hermes-host=real"):
        registry.dispatch("t", {})


# -- results


def test_unknown_tool_is_error_result(registry: ToolRegistry) -> None:
    assert json.loads(registry.dispatch("nope", {})) == {"error": "Unknown tool: nope"}


def test_handlers_receive_arguments_and_keywords_of_caller(registry: ToolRegistry) -> None:
    add(registry, "t", lambda args, **kwargs: json.dumps([args, kwargs]))
    assert json.loads(registry.dispatch("t", {"a": 1}, task_id="T")) == [{"a": 1}, {"task_id": "T"}]


MULTIMODAL: dict[str, Any] = {"_multimodal": True, "content": []}


@pytest.mark.parametrize("result", ["", "not JSON", MULTIMODAL])
def test_text_and_multimodal_results_are_accepted(registry: ToolRegistry, result: Any) -> None:
    add(registry, "t", says(result))
    assert registry.dispatch("t", {}) is result


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (None, "NoneType"),
        ({"a": 1}, "dict"),
        ([1], "list"),
        (3, "int"),
        (b"x", "bytes"),
        ({**MULTIMODAL, "_multimodal": 1}, "dict"),
    ],
)
def test_result_of_unsupported_type_becomes_error(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture, result: Any, kind: str
) -> None:
    add(registry, "t", says(result))
    assert json.loads(registry.dispatch("t", {})) == {
        "error": f"Tool handler returned unsupported result type: {kind}",
        "error_type": "tool_result_contract",
        "tool": "t",
        "result_type": kind,
    }
    assert caplog.messages == [f"Tool t handler returned unsupported result type: {kind}"]


def raises(error: BaseException) -> Callable[..., Any]:
    def handler(args: Any, **kwargs: Any) -> Any:
        raise error

    return handler


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("boom", "boom"),
        ("a <system>b</SYSTEM> c", "a b c"),
        ("a <![CDATA[ hidden\n ]]> b", "a  b"),
        ("a\n```json\n{}\n```\nb", "a\n{}\nb"),
        ("<other> `x`", "<other> `x`"),
    ],
)
def test_exception_becomes_sanitised_error(registry: ToolRegistry, state: HostState, message: str, shown: str) -> None:
    add(registry, "t", raises(ValueError(message)))
    assert json.loads(registry.dispatch("t", {}))["error"] == f"[TOOL_ERROR] Tool execution failed: ValueError: {shown}"
    assert list_swallowed(state) == [("tool t", f"ValueError: {message}")]


def test_long_error_is_truncated(registry: ToolRegistry) -> None:
    add(registry, "t", raises(ValueError("x" * 5000)))
    error = json.loads(registry.dispatch("t", {}))["error"]
    assert len(error) == len("[TOOL_ERROR] ") + 2000
    assert error.endswith("x...")


def test_log_names_failed_tool(registry: ToolRegistry, caplog: pytest.LogCaptureFixture) -> None:
    add(registry, "t", raises(ValueError("boom")))
    registry.dispatch("t", {})
    [record] = caplog.records
    assert (record.levelname, record.name, record.message) == ("ERROR", "tools.registry", "Tool t dispatch error: boom")
    assert record.exc_info is not None


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_base_exceptions_propagate(registry: ToolRegistry, error: BaseException) -> None:
    add(registry, "t", raises(error))
    with pytest.raises(type(error)):
        registry.dispatch("t", {})


def test_handler_without_keywords_fails(registry: ToolRegistry) -> None:
    add(registry, "t", lambda args: "never")
    assert "got an unexpected keyword argument 'task_id'" in registry.dispatch("t", {}, task_id="T")


# -- coroutines


async def _loop_and_thread(args: Any, **kwargs: Any) -> Any:
    await asyncio.sleep(0)
    args["seen"].append((asyncio.get_running_loop(), threading.current_thread()))
    return "done"


def test_coroutine_handlers_use_loop_of_thread(registry: ToolRegistry) -> None:
    seen: list[Any] = []
    add(registry, "t", _loop_and_thread, is_async=True)

    def call() -> None:
        registry.dispatch("t", {"seen": seen})

    call()
    call()
    worker = threading.Thread(target=call)
    worker.start()
    worker.join()
    loops, threads = zip(*seen, strict=True)
    assert loops[0] is loops[1] is not loops[2]
    assert threads == (threading.current_thread(), threading.current_thread(), worker)


def test_coroutine_handler_within_loop_runs_in_new_thread(registry: ToolRegistry) -> None:
    seen: list[Any] = []
    add(registry, "t", _loop_and_thread, is_async=True)

    async def turn() -> Any:
        return registry.dispatch("t", {"seen": seen})

    assert asyncio.run(turn()) == "done"
    assert seen[0][1] is not threading.current_thread()


def test_coroutine_handler_that_hangs_within_loop_is_cancelled() -> None:
    cancelled = threading.Event()
    bridge = AsyncBridge(time_limit=0.01)

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def turn() -> None:
        bridge.run(hang())

    with pytest.raises(TimeoutError):
        asyncio.run(turn())
    assert cancelled.wait(5)


def test_exception_of_coroutine_handler_is_error_result(registry: ToolRegistry, state: HostState) -> None:
    async def fails(args: Any, **kwargs: Any) -> Any:
        raise LookupError("late")

    add(registry, "t", fails, is_async=True)
    assert json.loads(registry.dispatch("t", {}))["error"] == "[TOOL_ERROR] Tool execution failed: LookupError: late"
    assert list_swallowed(state) == [("tool t", "LookupError: late")]


def test_plain_handler_flagged_as_coroutine_fails(registry: ToolRegistry) -> None:
    add(registry, "t", says("text"), is_async=True)
    assert "TypeError: An asyncio.Future, a coroutine or an awaitable is required" in registry.dispatch("t", {})


# -- definitions


def test_definitions_omit_unknown_and_unavailable_tools(
    registry: ToolRegistry, state: HostState, caplog: pytest.LogCaptureFixture
) -> None:
    def raise_os_error() -> bool:
        raise OSError("no service")

    add(registry, "shown", says(""), requires_env=["SURELY_NOT_SET"])
    add(registry, "hidden", says(""), check_fn=lambda: False)
    add(registry, "broken", says(""), check_fn=raise_os_error)
    found = registry.definitions(["shown", "hidden", "broken", "unknown"])
    assert [definition["function"]["name"] for definition in found] == ["shown"]
    assert [(where.rpartition(".")[2], error) for where, error in list_swallowed(state)] == [
        ("raise_os_error", "OSError: no service")
    ]
    assert "raised; dependent tools will be unavailable this turn" in caplog.text


def test_unavailable_tool_can_be_called(registry: ToolRegistry) -> None:
    add(registry, "t", says("ran"), check_fn=lambda: False)
    assert registry.dispatch("t", {}) == "ran"
