"""Runs of scenarios: configuration of the host, and plugins that hang or exit."""

import json
import os
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.traces import Trace, play, play_in_process, read_scenario

FAULTS = """
    import _thread, os, sys, time
    def hook(**kwargs):
        how = os.environ["HOW"]
        if how == "sys.exit": sys.exit(3)
        if how == "os._exit": os._exit(3)
        if how == "thread": _thread.exit()
        while how == "hang":
            time.sleep(60)
    def register(ctx):
        ctx.register_hook("pre_llm_call", hook)
"""

TELLS = """
    import json, os
    from pathlib import Path
    def tell(raw):
        import lent
        home = Path(os.environ["HERMES_HOME"])
        return json.dumps({"env": os.environ.get("A"), "lent": lent.VALUE, "home": str(home), "cwd": os.listdir()})
    def register(ctx):
        ctx.register_command("tell", tell)
        ctx.register_tool("t", "set", {"name": "t", "parameters": {}}, lambda args, **kwargs: "done")
"""


def write_scenario(folder: Path, body: str, **scenario: Any) -> Path:
    """Write a scenario with a plugin ``p``, and return its path."""
    (folder / "p").mkdir()
    (folder / "p" / "plugin.yaml").write_text("name: p\n", encoding="utf-8")
    (folder / "p" / "__init__.py").write_text(dedent(body), encoding="utf-8")
    path = folder / "s.yaml"
    said = {"plugins": ["p"], "turns": ["hello"], "script": {"main": [{"text": "hi"}]}, **scenario}
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def names(trace: Trace) -> list[str]:
    return [event["name"] for event in trace.events if event["kind"] not in ("register", "turn")]


def test_scenario_sets_path_and_environment(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "lent.py").write_text("VALUE = 5\n", encoding="utf-8")
    path = write_scenario(tmp_path, TELLS, pythonpath=["lib"], env={"A": "b"}, turns=["/tell it"], script={})
    played = play_in_process(read_scenario(path), "embedded", "0.19.0")
    assert played.problems == ()
    told = json.loads(played.events[-1]["returned"])
    assert told == {"env": "b", "lent": 5, "home": "<home>", "cwd": []}


def test_scenario_sets_config_files_and_toolsets(tmp_path: Path) -> None:
    body = """
        from pathlib import Path
        def register(ctx):
            import yaml, os
            config = yaml.safe_load(Path(os.environ["HERMES_HOME"], "config.yaml").read_text())
            file = Path(config["mine"]["list"][0])
            text = f"{file.read_text()} {os.access(file, os.X_OK)} {config['platform_toolsets']}"
            ctx.register_command("told", lambda raw: text)
    """
    config = {"mine": {"list": ["{files}/a.sh"]}}
    path = write_scenario(
        tmp_path, body, config=config, files={"a.sh": "#!/bin/sh"}, toolsets=["x"], turns=["/told"], script={}
    )
    assert (
        play_in_process(read_scenario(path), "embedded", "0.19.0").events[-1]["returned"]
        == "#!/bin/sh True {'cli': ['x']}"
    )


def test_only_enabled_plugins_run(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, FAULTS, enable=[], env={"HOW": ""})
    assert names(play_in_process(read_scenario(path), "embedded", "0.19.0")) == ["main"]


@pytest.mark.parametrize("play_it", [play, lambda path: play_in_process(read_scenario(path), "embedded", "0.19.0")])
@pytest.mark.parametrize(
    ("key", "fix"), [("noter", "Did you mean 'notes'?"), ("zzz", "Use one of: notes."), ("p", "Use one of: notes.")]
)
def test_unknown_enabled_plugin_is_rejected(tmp_path: Path, play_it: Any, key: str, fix: str) -> None:
    path = write_scenario(tmp_path, FAULTS, enable=["notes", key], env={"HOW": ""})
    (tmp_path / "p" / "plugin.yaml").write_text("name: notes\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f"the scenario has no plugin '{key}'") as caught:
        play_it(path)
    column = path.read_text(encoding="utf-8").rindex(f'"{key}"') + 1
    assert (caught.value.where, caught.value.fix) == (f"{path}:1:{column}", fix)


def test_scenario_without_plugins_enables_none(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, "", plugins=[], enable=["p"])
    with pytest.raises(UsageError, match="the scenario has no plugin 'p'") as caught:
        play(path)
    assert caught.value.fix == "Name its directory in `plugins`."


def test_unreadable_and_bundled_plugins_can_be_enabled(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, FAULTS, enable=["p", "google_meet"], script={})
    (tmp_path / "p" / "plugin.yaml").write_text("name: [", encoding="utf-8")
    assert "has no answer for request 1" in play_in_process(read_scenario(path), "embedded", "0.19.0").problems[0]


def test_entry_point_on_path_can_be_enabled(tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    info = lib / "noter-1.dist-info"
    info.mkdir(parents=True)
    (lib / "noter.py").write_text("def register(ctx): ctx.register_command('noted', lambda raw: 'yes')\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noter\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[hermes_agent.plugins]\nnoter = noter\n")
    path = write_scenario(tmp_path, TELLS, pythonpath=["lib"], enable=["noter"], turns=["/noted"], script={})
    assert play_in_process(read_scenario(path), "embedded", "0.19.0").events[-1]["returned"] == "yes"


def test_missing_and_unused_answers_are_problems(tmp_path: Path) -> None:
    too_short = play_in_process(
        read_scenario(write_scenario(tmp_path, FAULTS, script={}, env={"HOW": ""})), "embedded", "0.19.0"
    )
    assert "has no answer for request 1" in too_short.problems[0]
    assert too_short.problems[0].endswith("Add another answer to script.main.")
    assert "pre_llm_call" in names(too_short)
    too_long = json.loads((tmp_path / "s.yaml").read_text())
    too_long["script"] = {"main": [{"text": "hi"}, {"text": "never"}], "aux": [{"text": "nor this"}]}
    (tmp_path / "s.yaml").write_text(json.dumps(too_long))
    left = play_in_process(read_scenario(tmp_path / "s.yaml"), "embedded", "0.19.0").problems
    assert ["never" in left[0], "nor this" in left[1]] == [True, True]


def test_raw_trace_is_not_normalised(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, FAULTS, env={"HOW": ""})
    [raw], [normal] = (
        [
            event
            for event in play_in_process(read_scenario(path), "embedded", "0.19.0", raw=raw).events
            if event["kind"] == "hook"
        ]
        for raw in (True, False)
    )
    assert raw["end"] >= raw["t"]
    assert "t" not in normal
    assert normal["arguments"]["session_id"] == "<session 1>"
    assert raw["arguments"]["session_id"] in raw["arguments"]["turn_id"]


def test_run_in_separate_process_has_same_trace(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, FAULTS, env={"HOW": "nothing"})
    assert play(path, release="0.19.0", env={"HOW": ""}) == play_in_process(read_scenario(path), "embedded", "0.19.0")


@pytest.mark.parametrize(("how", "status"), [("sys.exit", "3"), ("thread", "None")])
def test_system_exit_of_plugin_ends_run(tmp_path: Path, how: str, status: str) -> None:
    seen = play(write_scenario(tmp_path, FAULTS, env={"HOW": how}), release="0.19.0")
    assert f"exit status {status}" in seen.problems[0]
    assert seen.events[-1]["raised"].startswith("SystemExit")


def test_plugin_that_ends_process_raises_error(tmp_path: Path) -> None:
    with pytest.raises(HermesSdkError, match=r"the scenario s\.yaml ended the host with exit status 3"):
        play(write_scenario(tmp_path, FAULTS, env={"HOW": "os._exit"}))


def test_plugin_that_exits_while_loading_is_reported(tmp_path: Path) -> None:
    seen = play(write_scenario(tmp_path, "raise SystemExit(4)"), release="0.19.0")
    assert "plugin 'p' ended the host with exit status 4" in seen.problems[0]
    assert seen.events == ()


def test_timeout_names_callback_and_line(tmp_path: Path) -> None:
    seen = play(write_scenario(tmp_path, FAULTS, env={"HOW": "hang"}), time_limit=1)
    assert seen.problems == (
        "hook pre_llm_call at <home>/plugins/p/__init__.py:9 timed out after 1 s, and the host was stopped",
    )
    assert names(seen) == ["pre_llm_call"]


def test_timeout_while_loading_names_plugin(tmp_path: Path) -> None:
    seen = play(write_scenario(tmp_path, "import time\ntime.sleep(60)"), time_limit=1)
    assert seen.problems == ("the scenario timed out after 1 s, and the host was stopped",)


def test_two_plugins_with_same_name_are_problem(tmp_path: Path) -> None:
    seen = play(write_scenario(tmp_path, FAULTS, plugins=["p", "p"]))
    assert "the home already contains a plugin at <home>/plugins/p" in seen.problems[0]


def test_real_host_comes_from_any_sources_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real_python: Any
) -> None:
    real_python("0.22.2")
    sources = tmp_path / "sources.toml"
    sources.write_bytes(Path(os.environ["HERMES_SDK_SOURCES"]).read_bytes())
    monkeypatch.setenv("HERMES_SDK_SOURCES", str(sources))
    assert play(write_scenario(tmp_path, "def register(ctx): pass"), host="real", release="0.22.2").problems == ()


def test_unknown_release_and_missing_file_are_rejected(tmp_path: Path) -> None:
    path = write_scenario(tmp_path, FAULTS)
    with pytest.raises(UsageError):
        play(path, release="1.2.3")
    with pytest.raises(UsageError, match="cannot be read"):
        play(tmp_path / "none.yaml")
