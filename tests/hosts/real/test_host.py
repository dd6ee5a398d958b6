import json
import os
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.environments import Environment, environment
from hermes_sdk.hosts.interface import HostExited
from hermes_sdk.hosts.real.host import RealHost
from hermes_sdk.hosts.real.servers import Server, server
from hermes_sdk.manifest import EntryPoint

pytestmark = pytest.mark.real_host

Opener = Callable[..., RealHost]

EXAMPLE = """
    import json
    from pathlib import Path

    try:
        import absent_one
        import absent_one.deeper
    except ImportError:
        pass

    def add(args, **kwargs):
        return json.dumps({"sum": args["a"] + args["b"], "task_id": kwargs["task_id"]})

    def broken(args, **kwargs):
        raise ValueError("no good")

    def unsure():
        raise KeyError("unsure")

    def hook(**kwargs):
        return {"saw": sorted(kwargs), "tool": kwargs["tool_name"], "path": Path("x")}

    def narrow(tool_name):
        return "never"

    def status(arguments):
        print("printed")
        return f"status of {arguments!r}"

    def failing(arguments):
        raise RuntimeError("command trouble")

    def command_line(arguments):
        print("hello", arguments.name)
        return 3

    def setup(parser):
        parser.add_argument("name")

    SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}

    def register(ctx):
        ctx.register_tool("add_up", "sums", {"name": "add_up", "description": "Adds.", "parameters": SCHEMA}, add)
        ctx.register_tool("broken", "sums", {"name": "broken", "description": "Fails.", "parameters": {}}, broken)
        ctx.register_tool("hidden", "sums", {"name": "hidden", "description": "Hides."}, add, check_fn=lambda: False)
        ctx.register_tool("unsure", "sums", {"name": "unsure", "description": "?"}, add, check_fn=unsure)
        ctx.register_hook("post_tool_call", hook)
        ctx.register_hook("on_session_end", narrow)
        ctx.register_command("my_status", status)
        ctx.register_command("failing", failing)
        ctx.register_cli_command("sums", "Sums.", setup, command_line)
        ctx.register_skill("adding", Path(__file__).parent / "skill" / "SKILL.md")
"""


@pytest.fixture
def home() -> Iterator[Home]:
    with Home.temporary() as one:
        yield one


@pytest.fixture(params=["0.19.0", "0.13.0"])
def release(request: pytest.FixtureRequest, real_python) -> str:
    real_python(request.param)
    return request.param


@pytest.fixture
def start(home: Home, release: str) -> Iterator[Opener]:
    """Return a function that writes plugins to the home, enables those with a manifest, and opens a host."""
    opened: list[RealHost] = []

    def opener(plugins: dict[str, dict[str, str]], **options) -> RealHost:
        for folder, files in plugins.items():
            write(home.plugins_dir / folder, files)
            home.enable(folder)
        opened.append(RealHost(home, release, **options))
        return opened[-1]

    yield opener
    for host in opened:
        host.close()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


def plugin(code: str, manifest: str = "", **files: str) -> dict[str, str]:
    return {"plugin.yaml": manifest or "description: A plugin.\n", "__init__.py": code, **files}


@pytest.fixture
def example(start: Opener) -> RealHost:
    skill = "---\nname: adding\ndescription: How to add.\n---\nAdd.\n"
    return start({"sums": plugin(EXAMPLE, "name: sums\nversion: 1.10\n", **{"skill/SKILL.md": skill})})


def test_report_lists_all_registrations(example: RealHost, release: str) -> None:
    report = example.report()
    assert report["schema"] == "hermes-sdk.show/1"
    assert (report["host"], report["release"]) == ("real", release)
    assert report["plugin"] == {
        "key": "sums",
        "name": "sums",
        "kind": "standalone",
        "source": "user",
        "version": "1.1",
        "path": "plugins/sums",
        "manifest": {"name": "sums", "version": 1.1},
    }
    assert (report["status"], report["error"]) == ("loaded", None)
    assert report["tools"] == example.tools == ["add_up", "broken", "hidden", "unsure"]
    assert report["hooks"] == example.hooks == ["on_session_end", "post_tool_call"]
    assert report["commands"] == example.commands == ["failing", "my_status"]
    assert report["cli_commands"] == example.cli_commands == ["sums"]
    assert report["skills"] == example.skills == ["sums:adding"]
    assert report["missing_imports"] == ["absent_one"]
    assert report["warnings"] == []
    assert example.plugins == ["sums"]


def test_call_tool_calls_tool_as_model_does(example: RealHost) -> None:
    found = example.call_tool("add_up", a="2", b=3).json
    assert found["sum"] == 5
    assert found["task_id"] == "task"
    assert "no good" in (example.call_tool("broken").error or "")
    assert example.call_tool("nowhere").error == "Unknown tool: nowhere"


def test_definitions_omit_unavailable_tools(example: RealHost) -> None:
    assert [one["function"]["name"] for one in example.definitions()] == ["add_up", "broken"]


def test_fire_returns_json_values(example: RealHost) -> None:
    (answer,) = example.fire("post_tool_call", tool_name="add_up")
    assert answer["tool"] == "add_up"
    assert answer["path"] == {"__repr__": "PosixPath('x')"}
    assert {"args", "result", "session_id"} <= set(answer["saw"])


def test_any_result_can_be_returned(start: Opener) -> None:
    code = """
        import datetime

        class Rude:
            def __repr__(self):
                raise ValueError

        def hook(**kwargs):
            endless = []
            endless.append(endless)
            day = datetime.date(2026, 1, 2)
            return {1: (1.5, True), "day": day, "set": {3}, "rude": Rude(), None: "\\udc80"}, endless

        def register(ctx):
            ctx.register_hook("on_session_end", lambda **kwargs: hook()[0])
            ctx.register_hook("on_session_end", lambda **kwargs: hook()[1])
    """
    host = start({"values": plugin(code)})
    first, second = host.fire("on_session_end")
    assert first["1"] == [1.5, True]
    assert (first["day"], first["set"], first["None"]) == ("2026-01-02", {"__repr__": "{3}"}, "\udc80")
    assert "Rude object at" in first["rude"]["__repr__"]
    assert second == [{"__repr__": "[[...]]"}]


def test_argument_that_is_not_json_is_rejected(example: RealHost) -> None:
    with pytest.raises(UsageError, match="hook post_tool_call: an argument cannot be sent to the real host"):
        example.fire("post_tool_call", tool_name=object())
    assert example.tools


def test_command_returns_output_of_session(example: RealHost) -> None:
    assert example.command("/MY_status  a  B ") == "printed\nstatus of 'a  B'"
    assert example.command("/failing") == "Plugin command error: command trouble"


def test_cli_commands_run_in_separate_process(example: RealHost) -> None:
    done = example.cli("sums", "world")
    assert (done.exit_code, done.stdout) == (0, "hello world\n")
    assert example.cli("sums").exit_code == 2


ENDS = """
    import atexit, os, signal, sys, threading, time

    def late():
        time.sleep(0.2)
        print("thread")

    def run(arguments):
        if arguments.how == "later":
            atexit.register(print, "exit handler")
            threading.Thread(target=late).start()
        elif arguments.how == "text":
            sys.exit("a reason")
        elif arguments.how == "raise":
            atexit.register(lambda: print("exit handler", file=sys.stderr))
            raise ValueError("no good")
        elif arguments.how == "kill":
            os.kill(os.getpid(), signal.SIGTERM)
        print(os.environ.get("OWN"), os.environ.get("HERMES_SDK_TESTED"), os.getcwd(), len(sys.argv))

    def register(ctx):
        ctx.register_cli_command("end", "Ends.", lambda parser: parser.add_argument("how"), run)
"""


def test_cli_command_exits_like_program(start: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SDK_TESTED", "of the user")
    host = start({"ends": plugin(ENDS)}, cwd=tmp_path, environment={"OWN": "of the test"})
    found = {how: host.cli("end", how) for how in ("later", "text", "raise", "kill")}
    printed = f"of the test None {tmp_path} 3\n"
    assert (found["later"].exit_code, found["later"].stdout) == (0, f"{printed}thread\nexit handler\n")
    assert (found["text"].exit_code, found["text"].stderr) == (1, "a reason\n")
    assert found["raise"].exit_code == 1
    assert found["raise"].stderr.splitlines()[-2:] == ["ValueError: no good", "exit handler"]
    assert (found["kill"].exit_code, found["kill"].stdout) == (128 + 15, "")


def test_skill_returns_content(example: RealHost) -> None:
    found = example.skill("sums:adding")
    assert found["success"] is True
    assert "Add." in found["content"]


def test_swallowed_errors_keep_the_plugin_traceback(example: RealHost) -> None:
    example.call_tool("broken")
    example.command("/failing")
    example.fire("on_session_end")
    example.definitions()
    found = {one.where: one for one in example.swallowed if one.where != "hook post_tool_call"}
    assert set(found) == {"tool broken", "command /failing", "hook on_session_end", "check_fn unsure"}
    assert found["tool broken"].error == "ValueError: no good"
    lines = found["tool broken"].traceback.splitlines()
    assert "plugins/sums/__init__.py" in lines[1]
    assert lines[1].endswith("in broken")
    assert found["hook on_session_end"].error.startswith("TypeError: narrow() got an unexpected keyword argument")
    assert any("narrow" in record.message and record.level == "WARNING" for record in example.log)


def test_log_contains_discovery(example: RealHost) -> None:
    assert any(record.message == "Plugin discovery complete: 1 found, 1 enabled" for record in example.log)


def test_rescan_unloads_disabled_plugins(example: RealHost, home: Home) -> None:
    home.disable("sums")
    example.rescan()
    assert (example.hooks, example.commands, example.skills) == ([], [], [])
    report = example.report()
    assert (report["status"], report["error"]) == ("skipped", "disabled via config")


@pytest.mark.parametrize(
    ("code", "error", "place"),
    [
        ("x = 1\n", "no register() function", None),
        ("def register(ctx): raise ValueError('why')\n", "why", "in register"),
        ("import absent_two\n", "No module named 'absent_two'", "in <module>"),
        ("from . import absent_three\n", None, "in <module>"),
        ("def register(ctx):\n    ctx.register_everything()\n", None, "in register"),
        ("def register(:\n", None, "invalid syntax"),
    ],
)
def test_report_describes_failed_plugin(code: str, error: str | None, place: str | None, start: Opener) -> None:
    host = start({"bad": plugin(code)})
    report = host.report("bad")
    assert report["status"] == "failed"
    assert report["error"] == error or (error is None and report["error"])
    assert report["missing_imports"] == (["absent_two"] if "absent_two" in code else [])
    if place is None:
        assert host.swallowed == []
    else:
        (hidden,) = host.swallowed
        assert hidden.where == "plugin bad"
        assert place in hidden.traceback
        assert "hermes_cli" not in hidden.traceback


def test_missing_init_file_is_reported_with_hermes_home(start: Opener) -> None:
    report = start({"empty": {"plugin.yaml": "name: empty\n"}}).report()
    assert report["error"] == "No __init__.py in $HERMES_HOME/plugins/empty"
    assert report["warnings"] == ["Failed to load plugin 'empty': No __init__.py in $HERMES_HOME/plugins/empty"]


def test_optional_modules_are_not_missing_imports(start: Opener) -> None:
    code = """
        import importlib.util, importlib
        importlib.util.find_spec("absent_four")
        try:
            from json import absent_five
        except ImportError:
            pass
        try:
            importlib.import_module("absent_six")
        except ImportError:
            pass
        import model_tools

        def register(ctx):
            pass
    """
    assert start({"asks": plugin(code)}).report()["missing_imports"] == ["absent_six"]


def test_exclusive_plugins_are_loaded_by_memory_loader(start: Opener) -> None:
    code = """
        from agent.memory_provider import MemoryProvider

        class Notes(MemoryProvider):
            name = "notes-memory"

            def is_available(self):
                return True

            def initialize(self, session_id, **kwargs):
                pass

            def get_tool_schemas(self):
                return []

        def register(ctx):
            ctx.register_memory_provider(Notes())
    """
    report = start({"notes": plugin(code, "name: notes\nkind: exclusive\n")}).report()
    assert (report["status"], report["memory_provider"]) == ("skipped", "notes-memory")
    assert (report["error"] or "").startswith("exclusive plugin")


def test_model_providers_in_home_are_loaded(start: Opener, home: Home) -> None:
    code = """
        from providers import register_provider
        from providers.base import ProviderProfile

        register_provider(ProviderProfile(name="mine", aliases=("my",)))
    """
    write(home.plugins_dir / "model-providers" / "my-models", plugin(code, "name: mine\nkind: model-provider\n"))
    report = start({}).report()
    assert (report["plugin"]["key"], report["status"]) == ("model-providers/my-models", "skipped")
    assert report["model_providers"] == ["mine"]
    assert report["error"] is None


def test_providers_are_attributed_to_their_plugin(start: Opener) -> None:
    code = """
        from agent.image_gen_provider import ImageGenProvider

        class Painter(ImageGenProvider):
            name = "{name}"

            def is_available(self):
                return True

            def generate(self, prompt, aspect_ratio="1:1", **kwargs):
                return {{}}

        def register(ctx):
            ctx.register_image_gen_provider(Painter())
            ctx.register_platform("{name}", "A platform", lambda config: None, lambda: True)
    """
    host = start({name: plugin(code.format(name=name)) for name in ("first", "second")})
    for name in ("first", "second"):
        report = host.report(name)
        assert report["providers"]["image_gen"] == [name], report["error"]
        assert report["platforms"] == [name]
        assert sum(map(len, report["providers"].values())) == 1


def test_tool_of_plugin_overrides_builtin_tool(start: Opener) -> None:
    code = """
        def register(ctx):
            schema = {"name": "read_file", "description": "Mine.", "parameters": {"type": "object", "properties": {}}}
            ctx.register_tool("read_file", "mine", schema, lambda args, **kwargs: "mine")
    """
    host = start({"reader": plugin(code)})
    assert host.call_tool("read_file", path="x").text == "mine"


def test_entry_points_come_from_directories_and_arguments(start: Opener, home: Home, tmp_path: Path) -> None:
    write(tmp_path, {"one_plugin.py": "def register(ctx): pass\n", "utils.py": "1 / 0\n"})
    write(
        tmp_path / "one-1.dist-info",
        {"entry_points.txt": "[hermes_agent.plugins]\none = one_plugin\n", "METADATA": "Name: one\n"},
    )
    home.enable("one")
    home.enable("two")
    host = start({}, pythonpath=[tmp_path], entry_points=[EntryPoint("two", "one_plugin")])
    assert host.plugins == ["one", "two"]
    report = host.report("two")
    assert (report["status"], report["plugin"]["source"], report["plugin"]["path"]) == (
        "loaded",
        "entrypoint",
        "one_plugin",
    )
    assert report["plugin"]["manifest"] == {}


def test_project_plugins_are_found_in_working_directory(start: Opener, home: Home, tmp_path: Path) -> None:
    write(tmp_path / ".hermes" / "plugins" / "local", plugin("def register(ctx): pass\n"))
    home.enable("local")
    report = start({}, cwd=tmp_path, environment={"HERMES_ENABLE_PROJECT_PLUGINS": "1"}).report()
    assert (report["status"], report["plugin"]["path"]) == ("loaded", ".hermes/plugins/local")


@pytest.mark.parametrize(("environment", "written"), [({}, True), ({"PYTHONDONTWRITEBYTECODE": "1"}, False)])
def test_bytecode_is_not_written_when_environment_disables_it(start: Opener, home: Home, environment, written) -> None:
    assert start({"p": plugin("def register(ctx): pass\n")}, environment=environment).plugins == ["p"]
    assert (home.plugins_dir / "p" / "__pycache__").exists() == written


def test_variables_in_home_are_loaded(start: Opener, home: Home) -> None:
    home.set_env("MY_TOKEN", "abc")
    code = """
        import os, sys

        def register(ctx):
            assert os.environ["MY_TOKEN"] == "abc"
            assert not [name for name in os.environ if name.startswith("PYTHON")]
            assert os.environ["HOME"] not in ("/root", os.environ["HERMES_HOME"])
            assert sys.stdin.read() == ""
    """
    report = start({"reads": plugin(code)}).report()
    assert report["status"] == "loaded", report["error"]


def test_network_is_blocked(start: Opener) -> None:
    code = """
        import urllib.request

        def register(ctx):
            urllib.request.urlopen("http://192.0.2.1/", timeout=1)
    """
    assert "network is off" in (start({"calls": plugin(code)}).report()["error"] or "")


@pytest.mark.parametrize(
    ("code", "status"),
    [("import os; os._exit(5)", 5), ("raise SystemExit(3)", 3), ("import sys; sys.exit()", None)],
)
def test_error_names_plugin_that_ends_host(code: str, status: int | None, start: Opener) -> None:
    with pytest.raises(HostExited, match="plugin 'fatal' ended the host") as caught:
        start({"fatal": plugin(f"def register(ctx):\n    {code}\n")})
    assert caught.value.status == status


def test_error_names_tool_that_ends_host(start: Opener) -> None:
    code = """
        import os

        def register(ctx):
            ctx.register_tool("die", "x", {"name": "die", "description": ""}, lambda args, **kwargs: os.abort())
    """
    host = start({"fatal": plugin(code)})
    with pytest.raises(HermesSdkError, match=r"tool die ended the host with signal 6"):
        host.call_tool("die")
    with pytest.raises(HermesSdkError, match=r"^the host is closed, so it cannot run tool die\n  Open a new host\."):
        host.call_tool("die")
    assert (host.log, host.swallowed) == ([], [])


def test_plugin_is_stopped_after_timeout(start: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_sdk.hosts.real.host.TIME_LIMIT", 1.0)
    with pytest.raises(HermesSdkError, match=r"(?s)plugin 'slow' at \S+/__init__.py:3 timed out after 1 s.*:\nwaiting"):
        start({"slow": plugin("import time\nprint('waiting', flush=True)\ntime.sleep(60)\n")})


def test_report_needs_key_when_there_are_several_plugins(start: Opener) -> None:
    host = start({name: plugin("def register(ctx): pass\n") for name in ("b", "a")})
    with pytest.raises(UsageError, match=r"^the host recorded more than one plugin: a, b\. Pass the key of one\."):
        host.report()
    with pytest.raises(UsageError, match=r"^the host has no plugin 'c'; it has: a, b\."):
        host.report("c")


def test_second_close_does_nothing(start: Opener) -> None:
    host = start({})
    host.close()
    host.close()


def test_fork_looks_like_new_process(start: Opener, home: Home, release: str, real_python) -> None:
    """Compare the state that plugins can see: the host's modules and paths, the loggers and the registries."""
    code = """
        import json, logging, os, sys
        from pathlib import Path

        def register(ctx):
            from hermes_cli.config import get_config_path
            from hermes_constants import get_hermes_home
            from hermes_cli import plugins
            from tools.registry import registry
            held = sorted(
                f"{name}.{key}"
                for name, module in list(sys.modules.items())
                for key, value in list(vars(module).items())
                if isinstance(value, (str, Path)) and "hermes-sdk-server" in str(value)
            )
            Path(os.environ["HERMES_HOME"], "seen.json").write_text(json.dumps({
                "home": str(get_hermes_home()),
                "config": str(get_config_path()),
                "debug": plugins._PLUGINS_DEBUG,
                "tools": sorted(registry._tools),
                "held": held,
                "modules": sorted(n for n in sys.modules if n.startswith(("hermes_cli", "tools", "agent", "gateway"))),
            }))
    """
    server(environment(release)).warm("gateway")
    start({"looks": plugin(code)})
    warm = json.loads((home.path / "seen.json").read_text())
    cold = cold_process(home, real_python(release))
    preloaded = {"agent.skill_utils", "hermes_cli.commands"}
    warm["modules"] = sorted(set(warm["modules"]) - preloaded)
    cold["modules"] = sorted(set(cold["modules"]) - preloaded)
    assert warm == cold


def cold_process(home: Home, python: Path) -> dict:
    variables = {"PATH": os.environ["PATH"], "HOME": str(home.path), "HERMES_HOME": str(home.path)}
    variables |= {"HERMES_BUNDLED_PLUGINS": str(home.path / "none"), "HERMES_DISABLE_LAZY_INSTALLS": "1"}
    program = "from hermes_cli.plugins import discover_plugins; discover_plugins()"
    subprocess.run([python, "-c", program], env=variables, check=True, capture_output=True)
    return json.loads((home.path / "seen.json").read_text())


@pytest.mark.slow
def test_command_returns_same_output_as_cli_session(example: RealHost, home: Home, release: str, real_python) -> None:
    program = """
        import contextlib, io, json, cli
        session = cli.HermesCLI(compact=True)
        cli._cprint = print
        printed = []
        for line in ("/MY_status  a  B ", "/failing"):
            with contextlib.redirect_stdout(io.StringIO()) as text:
                session.process_command(line)
            printed.append(text.getvalue())
        print(json.dumps(printed))
    """
    variables = {"PATH": os.environ["PATH"], "HOME": str(home.path), "HERMES_HOME": str(home.path), "TERM": "dumb"}
    variables |= {"HERMES_BUNDLED_PLUGINS": str(home.path / "none"), "HERMES_DISABLE_LAZY_INSTALLS": "1"}
    command = [real_python(release), "-c", textwrap.dedent(program)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    first, second = json.loads(done.stdout.splitlines()[-1])
    assert first == f"{example.command('/MY_status  a  B ')}\n"
    assert example.command("/failing") in second


def test_environment_without_host_is_explained(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to("/bin/false")
    with pytest.raises(HermesSdkError, match=r"^the real host 0\.0 does not start\n"):
        Server(Environment("0.0", python, "3.11"))


def test_hosts_of_environment_share_server(release: str) -> None:
    assert server(environment(release)) is server(environment(release))
