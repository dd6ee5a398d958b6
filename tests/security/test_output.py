"""Terminal output: texts of plugins contain no control sequences or workflow commands, and output errors are caught."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hermes_sdk import terminal

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from hermes_sdk.cli.main import run; run(sys.argv[1:])"
NASTY = "\x1b]0;title\x07\x1b[8mhidden\x1b[31m\r\u202e\x9b2J\x7f"
COMMAND = "::error file=x::told"
OLD_COMMAND = "##[error]told"
# Apart from colours, hermes-sdk itself prints none of these characters.
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
PUBLISHED = {
    "check": "hermes_sdk.check.report",
    "compat": "hermes_sdk.compat.report",
    "show": "hermes_sdk.hosts.interface",
    "add": "hermes_sdk.scaffold.add",
    "update": "hermes_sdk.scaffold.update",
    "trace": "hermes_sdk.traces",
    "verify": "hermes_sdk.verify",
    "docs": "hermes_sdk.cli",
    "explain": "hermes_sdk.cli",
    "contract-show": "hermes_sdk.cli",
}


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Create a plugin in a home, with control sequences and workflow commands in each of its texts."""
    text = json.dumps(
        f"{NASTY}\n{COMMAND}\n{OLD_COMMAND}\n[link=https://evil.example]here[/link] [here](https://evil.example)"
    )
    folder = tmp_path / "home" / "plugins" / "demo"
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text(
        f"name: demo\nversion: {text}\ndescription: {text}\nauthor: {text}\nunknown-{COMMAND.replace(' ', '')}: 1\n"
        f"requires_env:\n  - name: DEMO_KEY\n    description: {text}\n    url: {text}\n"
    )
    (folder / "__init__.py").write_text(
        f"def register(ctx):\n    print({text})\n    import logging; logging.warning({text})\n"
        f"    ctx.register_tool(name={text}, toolset='x', schema={{}}, handler=print, description={text})\n"
        f"    raise ValueError({text})\n"
    )
    (folder / "after-install.md").write_text(json.loads(text))
    return folder


def environment(plugin: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HERMES_", "PYTHONIO", "LC_"))}
    root = plugin.parents[2]
    return {**kept, "HERMES_HOME": str(plugin.parents[1]), "HERMES_SDK_CACHE": str(root / "cache"), **more}


def run_on_terminal(plugin: Path, *words: str) -> str:
    """Run a command whose output is a terminal, and return what the terminal received."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        env=environment(plugin, TERM="xterm", COLUMNS="150"),
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
    ):
        os.close(follower)
        output = b""
        while True:
            try:
                more = os.read(leader, 65536)
            except OSError:
                break
            if not more:
                break
            output += more
    os.close(leader)
    return output.decode(errors="replace").replace("\r\n", "\n")


def assert_harmless(output: str) -> None:
    plain = re.sub(r"\x1b\[(?:0|[1-4]|9[0-7]|3[0-7]|[12];3[0-7]|1;4)?m", "", output)
    plain = re.sub(r"\x1b\[[0-9;]*m", lambda found: "" if found[0] not in NASTY else found[0], plain)
    assert not CONTROLS.findall(plain), plain
    assert not re.search(r"(?m)^\s*::\S.*::", plain), plain
    assert "##[" not in plain
    assert "]8;" not in output


COMMANDS = [
    ("plugins", "list"),
    ("plugins", "list", "--plain"),
    ("plugins", "list", "--json"),
    ("plugins", "install", "--force", "{plugin}"),
    ("show", "{plugin}"),
    ("show", "{plugin}", "--json"),
    ("check", "--static", "{plugin}"),
    ("check", "--static", "--json", "{plugin}"),
    ("check", "--static", "--diff", "--unsafe-fixes", "{plugin}"),
    ("check", COMMAND),
    ("show", NASTY.replace("\0", "")),
    ("explain", f"{NASTY}\n{COMMAND}"),
    ("plugins", "enable", f"\n{COMMAND}{NASTY}"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=range(len(COMMANDS)))
def test_texts_of_plugins_do_not_control_the_terminal(plugin: Path, words: tuple[str, ...]) -> None:
    output = run_on_terminal(plugin, *(word.format(plugin=plugin) if "{plugin}" in word else word for word in words))
    assert output.strip() or "--diff" in words
    assert_harmless(output)


def test_github_format_prints_workflow_commands(plugin: Path) -> None:
    output = run_on_terminal(plugin, "check", "--static", "--format", "github", str(plugin))
    assert output.startswith("::")
    assert not CONTROLS.findall(output)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\r\nc", "a\tb\r\nc"),
        ("\x1b[31m", "\\u001b[31m"),
        ("a\rb", "a\\u000db"),
        ("\u202e\x9b\U000e0041\ud800", "\\u202e\\u009b\\udb40\\udc41\\ud800"),
        ("::error::x", ": :error::x"),
        ("a\n  ::warning file=a::x", "a\n  : :warning file=a::x"),
        ("Example::\n\n    ::\n", "Example::\n\n    ::\n"),
        ("a ##[error]x\n## [b]", "a #\\u0023[error]x\n## [b]"),
    ],
)
def test_clean_escapes_controls_and_workflow_commands(text: str, expected: str) -> None:
    assert terminal.clean(text) == expected
    assert terminal.clean(f"{terminal.ESCAPE}[1m{text}") == f"\x1b[1m{expected}"


def test_markup_in_texts_is_printed_literally(capsys: pytest.CaptureFixture[str]) -> None:
    text = "[link=https://evil.example]here[/link] [red]x :smile:\n"
    terminal.console().print(text, end="")
    assert capsys.readouterr().out == text


def test_cleaned_json_is_the_same_document() -> None:
    document = {"##[error]": "\x9b\u202e\ud83d\ude00 ✓ \U0001f600".encode("utf-16", "surrogatepass").decode("utf-16")}
    assert json.loads(terminal.clean(json.dumps(document, ensure_ascii=False), "ascii")) == document


def test_workflow_command_within_a_line_is_not_escaped() -> None:
    stream = io.StringIO()
    guarded = terminal.Guarded(stream)
    for part in ("a", "::b::", "\n", "::c::"):
        guarded.write(part)
    assert stream.getvalue() == "a::b::\n: :c::"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "words", [("plugins", "list"), ("show", "{plugin}", "--json"), ("check", "--static", "{plugin}")]
)
def test_missing_characters_in_output_encoding_cause_no_error(
    plugin: Path, encoding: str, words: tuple[str, ...]
) -> None:
    manifest = plugin / "plugin.yaml"
    manifest.write_text("name: demo\ndescription: ✓ 😀\n")
    command = [sys.executable, "-c", PROGRAM, *(word.format(plugin=plugin) for word in words)]
    done = subprocess.run(command, env=environment(plugin, PYTHONIOENCODING=encoding), capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert b"codec" not in done.stderr
    assert done.stdout
    if "--json" in words:
        json.loads(done.stdout.decode(encoding))


@pytest.mark.parametrize(
    "words",
    [
        *(
            f"-c '{PROGRAM}' {words}"
            for words in ("plugins list", "check --static {plugin}", "show {plugin}", "--help")
        ),
        "-m hermes_sdk.check {plugin}",
    ],
)
@pytest.mark.parametrize("stream", [">&-", "2>&-", ">&- 2>&-", ">/dev/full"])
def test_closed_or_full_output_causes_no_traceback(plugin: Path, words: str, stream: str) -> None:
    line = f"{sys.executable} {words.format(plugin=plugin)} {stream}"
    done = subprocess.run(line, shell=True, env=environment(plugin), capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode in ((1,) if "full" in stream else (0, 1))


def test_closed_streams_are_replaced() -> None:
    program = "import os; from hermes_sdk import terminal; terminal.guard(); assert os.dup(0) > 2"
    line = f"{sys.executable} -c '{program}' <&- >&- 2>&-"
    assert subprocess.run(line, shell=True, check=False).returncode == 0


WRONG = {
    "check": ("check", "--json", "missing"),
    "compat": ("compat", "--json", "missing"),
    "show": ("show", "--json", "missing"),
    "add": ("add", "tool", "x", "missing", "--json"),
    "update": ("update", "missing", "--json"),
    "trace": ("trace", "missing.yaml", "--json"),
    "verify": ("verify", "missing", "--json"),
    "docs": ("docs", "missing#section", "--json"),
    "explain": ("explain", "missing", "--json"),
    "contract-show": ("contract", "show", "hook", "missing", "--json"),
}


@pytest.mark.parametrize("name", WRONG)
def test_json_error_matches_the_schema_of_its_command(plugin: Path, name: str) -> None:
    command = [sys.executable, "-c", PROGRAM, *WRONG[name]]
    done = subprocess.run(command, env=environment(plugin), cwd=plugin, capture_output=True, text=True, check=False)
    document: dict[str, Any] = json.loads(done.stdout)
    schema = json.loads((files(PUBLISHED[name]) / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(document)
    assert document["error"]["message"]
    assert document["schema"] == f"hermes-sdk.{name}/1"
    with pytest.raises(Exception, match="required"):
        Draft202012Validator(schema).validate({**document, "error": {}})


@pytest.mark.parametrize(
    ("words", "schema"),
    [
        (("contract", "show", "nothing", "--json"), "contract-show"),
        (("compat", "--workspace", "missing", "--json"), "compat-workspace"),
        (("plugins", "list", "--json", "--wrong"), "plugins"),
    ],
)
def test_json_error_names_the_schema_of_the_result(plugin: Path, words: tuple[str, ...], schema: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], env=environment(plugin), capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["schema"] == f"hermes-sdk.{schema}/1"


def test_package_prints_only_through_the_guard() -> None:
    raw = re.compile(r"\bclick\.(?:style|secho)\(|rich\.console import Console$|\bConsole\(")
    allowed = ("terminal.py",)
    found = [
        f"{file.name}: {line.strip()}"
        for file in sorted((ROOT / "hermes_sdk").rglob("*.py"))
        if file.name not in allowed and "hosts" not in file.parts
        for line in file.read_text().splitlines()
        if raw.search(line) and not (line.startswith("    ") or "rich.console" in line)
    ]
    assert found == []
