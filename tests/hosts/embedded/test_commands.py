"""Commands within a running event loop, and output of handlers; `tests/conformance` covers the rest."""

from __future__ import annotations

import asyncio

import pytest
from hosts.embedded.conftest import Start

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.embedded import coroutines
from hermes_sdk.hosts.embedded.coroutines import resolve
from hermes_sdk.hosts.interface import NotSupported


async def answer(seconds: float = 0) -> str:
    await asyncio.sleep(seconds)
    return "done"


async def fail() -> None:
    raise KeyError("lost")


def test_coroutine_is_awaited_with_and_without_running_loop() -> None:
    async def inside() -> object:
        return resolve(answer())

    assert resolve("plain") == "plain"
    assert resolve(answer()) == "done"
    assert asyncio.run(inside()) == "done"


def test_exception_of_coroutine_propagates() -> None:
    async def inside() -> object:
        return resolve(fail())

    for run in (lambda: resolve(fail()), lambda: asyncio.run(inside())):
        with pytest.raises(KeyError, match="lost"):
            run()


def test_slow_coroutine_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def inside() -> object:
        return resolve(answer(0.5))

    monkeypatch.setattr(coroutines, "AWAIT_LIMIT_SECONDS", 0.01)
    with pytest.raises(TimeoutError, match="did not complete"):
        asyncio.run(inside())


def test_output_of_handler_is_part_of_answer(start) -> None:
    host = start("""
        def register(ctx):
            def talk(line):
                print("printed", line)
                return "returned"
            ctx.register_command("Talk Now", talk)
            ctx.register_command("silent", lambda line: None)
    """)
    assert host.commands == ["silent", "talk-now"]
    assert host.command("/TALK-NOW  loud ") == "printed loud\nreturned"
    assert host.command("/silent") is None


def test_cli_command_exits_like_program(start) -> None:
    host = start("""
        import sys
        def register(ctx):
            def setup(parser):
                parser.add_argument("how", choices=["return", "raise", "exit", "quit", "text"])
            def handler(arguments):
                print("to stdout")
                print("to stderr", file=sys.stderr)
                match arguments.how:
                    case "return":
                        return 7
                    case "raise":
                        raise KeyError("lost")
                    case "exit":
                        sys.exit(4)
                    case "quit":
                        sys.exit()
                    case "text":
                        sys.exit("reason")
            ctx.register_cli_command("tool", "help", setup, handler)
    """)
    ends = {how: host.cli("tool", how) for how in ("return", "raise", "exit", "quit", "text", "other")}
    assert {how: end.exit_code for how, end in ends.items()} == {
        "return": 0,
        "raise": 1,
        "exit": 4,
        "quit": 0,
        "text": 1,
        "other": 2,
    }
    assert ends["return"].stdout == "to stdout\n"
    assert ends["return"].stderr == "to stderr\n"
    assert ends["raise"].stderr.endswith("KeyError: 'lost'\n")
    assert ends["text"].stderr.endswith("reason\n")
    assert "invalid choice: 'other'" in ends["other"].stderr


@pytest.mark.parametrize("name", ["checkpoints", "curator"])
def test_command_of_hermes_is_not_supported_with_advice(start, name) -> None:
    host = start(f"""
        def register(ctx):
            ctx.register_cli_command({name!r}, "help", lambda parser: None, lambda arguments: print("mine"))
    """)
    with pytest.raises(UsageError, match=f"`hermes {name}` is a built-in command of Hermes") as refused:
        host.cli(name)
    assert "Rename the plugin's command" in refused.value.fix


NOTES = """
def register(ctx):
    ctx.register_cli_command("notes", "Notes", lambda parser: None, lambda args: print("read"))
"""


@pytest.mark.parametrize(
    ("argv", "refused"),
    [
        ((), "run `hermes` without a command"),
        (("--version", "notes"), "run `hermes --version`, an option before a command"),
        (("-m", "model", "notes"), "run `hermes -m`, an option before a command"),
    ],
)
def test_options_of_program_are_not_supported(start: Start, argv: tuple[str, ...], refused: str) -> None:
    host = start(NOTES)
    assert host.cli("notes").stdout == "read\n"
    with pytest.raises(NotSupported, match=refused):
        host.cli(*argv)
    assert host.unsupported == []
