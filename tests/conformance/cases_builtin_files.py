"""Cases of the built-in file tools, called as a model calls them; `pre_verify` receives their changes."""

import json
import re

from conformance.case import case
from conformance.recorder import recorder

from hermes_sdk.llm import call, say

PLUGIN = recorder("pass")


def call_each(host, *calls):
    """Call tools with arguments and return the results."""
    return [host.call_tool(tool, args).value for tool, args in calls]


def read_file(host, path, **options):
    return host.call_tool("read_file", path=path, **options).value


def write_file(host, path, content):
    return host.call_tool("write_file", path=path, content=content).value


def patch_file(host, path, old, new, **options):
    return host.call_tool("patch", path=path, old_string=old, new_string=new, **options).value


@case("D35", one=PLUGIN)
def a_written_file_can_be_read(host):
    written = [
        write_file(host, "a.txt", "one\ntwo\nthree\n"),
        write_file(host, "d/e.txt", "x"),
        write_file(host, "none.txt", ""),
    ]
    pages = [read_file(host, "a.txt", **page) for page in ({}, {"offset": 2, "limit": 1}, {"offset": 9})]
    return written, pages, read_file(host, "d/e.txt"), read_file(host, "none.txt")


@case("D35", one=PLUGIN)
def a_missing_file_is_read_repeatedly(host):
    return [read_file(host, "a.txt") for _ in range(5)], read_file(host, "b.txt"), read_file(host, "a.txt")


@case("D35", one=PLUGIN)
def another_call_resets_the_count_of_repeated_reads(host):
    missing = [
        read_file(host, "a.txt"),
        read_file(host, "a.txt"),
        write_file(host, "b.txt", "one\n"),
        read_file(host, "a.txt"),
    ]
    return (
        missing,
        [read_file(host, "b.txt") for _ in range(3)],
        write_file(host, "c.txt", "x\n"),
        read_file(host, "b.txt"),
    )


@case(
    "D35",
    one=recorder("""
        from pathlib import Path
        count = []
        def grow(tool_name, **kwargs):
            count.append(tool_name)
            Path("a.txt").write_text("line\\n" * len(count))
        ctx.register_hook("pre_tool_call", grow)
    """),
)
def a_changing_file_is_read_repeatedly(host):
    return [read_file(host, "a.txt") for _ in range(5)]


@case("D35", one=PLUGIN)
def repeated_searches_are_blocked(host):
    found = [call_each(host, ("search_files", {"pattern": "x", "target": "files"}))[0] for _ in range(5)]
    other = call_each(host, *[("search_files", {"pattern": "x", "path": "nowhere"})] * 5)
    return found, other, call_each(host, ("search_files", {"pattern": "x", "path": "nowhere", "limit": 5}))


@case(
    "D35",
    one=PLUGIN,
    files={"cwd/wide.txt": "y" * 3000, "cwd/odd.txt": "\x00\x01\x02a", "cwd/win.txt": "a\r\nb\r\n"},
)
def files_are_read_as_text_or_rejected(host):
    return [read_file(host, name) for name in ("wide.txt", "odd.txt", "win.txt", "x.png", "/dev/zero", "wide.md")]


NOT_UTF8 = recorder("""
    from pathlib import Path
    Path("latin.txt").write_bytes(b"caf\\xe9 is here\\n" * 3)
    Path("late.txt").write_bytes(b"x" * 1200 + b"\\xe9\\n")
    Path("cut.txt").write_bytes(b"x" * 999 + "é\\n".encode())
    Path("zero.txt").write_bytes(b"one" + bytes(2) + b"two")
    Path("stored.txt").write_text("caf\\ufffd")
    Path("confog.yml").write_text("a: 1")
""")


@case("D35", one=NOT_UTF8)
def files_that_are_not_utf8_are_read_as_binary_or_replaced(host):
    shown = [read_file(host, f"{name}.txt") for name in ("latin", "late", "cut", "zero", "stored")]
    return shown, read_file(host, "config.yaml")


@case("D35", one=NOT_UTF8, refused="replace text in a file that is not UTF-8")
def text_in_a_file_that_is_not_utf8_is_patched(host):
    return patch_file(host, "latin.txt", "caf", "kaf")


@case("D35", one=PLUGIN, files={"cwd/a.txt": "one\n"})
def rereading_an_unchanged_file_returns_a_short_notice(host):
    again = [read_file(host, "a.txt") for _ in range(3)]
    return again, write_file(host, "a.txt", "changed\n"), read_file(host, "a.txt")


@case("D35", one=PLUGIN, files={"cwd/a.txt": "one\ntwo\n"})
def overwriting_unread_content_is_reported(host):
    read_file(host, "a.txt", limit=1)
    partial = write_file(host, "a.txt", "whole\n")
    host.call_tool("terminal", command="touch -d '2001-01-01' a.txt")
    return partial, write_file(host, "a.txt", "again\n"), patch_file(host, "a.txt", "again", "more")


@case("D35", one=PLUGIN, files={"cwd/a.txt": "a\nb\na\n", "cwd/win.txt": "a\r\nb\r\n"})
def an_unambiguous_match_is_replaced(host):
    pairs = (("a", "z"), ("b", "b"), ("", "z"), ("b", "B"), ("B\n  a", "c"))
    some = [patch_file(host, "a.txt", *pair) for pair in pairs]
    return some, patch_file(host, "a.txt", "a", "x", replace_all=True), patch_file(host, "none.txt", "a", "x")


@case("D35", one=PLUGIN, files={"cwd/a.txt": "a\n"})
def a_patch_of_missing_text_returns_advice(host):
    return [patch_file(host, "a.txt", "qqqqqq", "z") for _ in range(4)]


LINES = "def first():\n    return 1\n\n\ndef second():\n\tyield 2\n\n\nclass Third:\n    pass\n\n\nfourth = 4\n"


@case("D35", one=PLUGIN, files={"cwd/a.py": LINES})
def a_patch_of_missing_text_suggests_similar_lines(host):
    texts = (
        "def none(x):",
        "def s():\nraise\nbreak",
        "  yield 2\nelse\nwhile",
        "zzzz",
        "class T(object):",
        "return fifth",
    )
    return [patch_file(host, "a.py", one, "z") for one in texts]


@case(
    "D35",
    one=PLUGIN,
    config={"platform_toolsets": {"cli": ["file"]}},
)
def an_ended_turn_is_not_a_concurrent_writer(host):
    new = {"path": "a.txt", "content": "one\n"}
    host.llm.script(call("write_file", **new), say("done"), call("write_file", **new), say("done"))
    host.chat("first")
    turn = host.chat("second")
    return re.sub(r"/\S*/cwd/|'[\w-]+'", "", turn.messages[-2]["content"])


@case("D35", one=PLUGIN, files={"cwd/win.txt": "a\r\nb\r\n"})
def windows_line_endings_are_preserved(host):
    return patch_file(host, "win.txt", "b", "c"), write_file(host, "win.txt", "x\ny\n"), read_file(host, "win.txt")


BROKEN = "report syntax errors in files that tools write"


@case("D35", one=PLUGIN, refused=BROKEN)
def a_python_syntax_error_is_reported(host):
    return write_file(host, "a.py", "def f(:\n")


@case("D35", one=PLUGIN, refused=BROKEN)
def invalid_json_is_not_written(host):
    return write_file(host, "a.json", "{")


@case("D35", one=PLUGIN, files={"cwd/a.yaml": "a: 1\n"}, refused=BROKEN)
def a_patch_that_breaks_a_file_is_reported(host):
    return patch_file(host, "a.yaml", "1", "[")


@case("D35", one=PLUGIN)
def files_with_valid_syntax_are_written_without_errors(host):
    fine = {"b.py": "x = 1\n", "b.json": "{}", "b.yaml": "a: 1\n", "b.toml": "a = 1\n", "b.txt": "{"}
    return [write_file(host, *pair) for pair in fine.items()], patch_file(host, "b.py", "1", "2")


@case("D35", one=PLUGIN, files={"cwd/p.env": "", "cwd/.env": "A=1\n", ".env": "B=1\n"})
def protected_files_are_neither_written_nor_read(host):
    home = str(host.home)
    written = [write_file(host, path, "x") for path in ("/etc/none", f"{home}/.env")]
    return (
        written,
        patch_file(host, f"{home}/.env", "B", "C"),
        [read_file(host, path) for path in (".env", f"{home}/.env")],
    )


@case("D35", one=PLUGIN)
def credential_files_are_not_written(host):
    home = ("~/.ssh/id_rsa", "~/.aws/x", "~/.netrc", "~/.config/gh/x", "~/.docker/x")
    own = ("mcp-tokens/a", "pairing/a", "sessions/a")
    calls = [write_file(host, path, "x") for path in (*home, *(f"{host.home}/{path}" for path in own))]
    answers = [json.loads(one) for one in calls]
    written = [one["error"].rpartition("/")[2] for one in answers]
    system = [patch_file(host, f"/private/var/{path}/none.txt", "a", "b") for path in ("folders/zz", "db", "root")]
    return written, system


@case("D35", one=PLUGIN, refused="check the syntax of .ts files with a program")
def a_file_checked_by_an_external_program_is_written(host):
    return write_file(host, "a.ts", "let a = 1\n")


@case("D35", one=PLUGIN, refused="decide whether a tool may write")
def writing_the_ssh_configuration_may_need_approval(host):
    return write_file(host, "~/.ssh/config", "x")


@case("D35", one=PLUGIN)
def the_configuration_of_hermes_is_not_written(host):
    return write_file(host, f"{host.home}/config.yaml", "a: 1\n")


@case("D35", one=PLUGIN)
def file_tool_calls_with_missing_arguments_are_rejected(host):
    return call_each(
        host,
        ("write_file", {"content": "x"}),
        ("write_file", {"path": "a.txt"}),
        ("patch", {"path": "a.txt"}),
        ("patch", {"old_string": "a", "new_string": "b"}),
        ("patch", {"mode": "patch"}),
        ("patch", {"mode": "odd"}),
    )


@case("D35", one=PLUGIN)
def relative_paths_start_in_the_directory_of_the_terminal(host):
    host.call_tool("terminal", command="mkdir -p deep && cd deep")
    return (
        write_file(host, "a.txt", "x"),
        read_file(host, "a.txt"),
        (host.home.exists(), read_file(host, "../deep/a.txt")),
    )


FOUND = {"cwd/src/a.py": "".join(f"line {number}\n" for number in range(1, 61)), "cwd/src/.hidden/b.py": "line 1\n"}


@case("D35", one=PLUGIN, files=FOUND)
def a_search_finds_lines_and_files(host):
    def search(pattern, **options):
        return host.call_tool("search_files", pattern=pattern, **options).value

    by_name = search("*.py", target="files", path="src"), search("*.txt", target="files", path="src")
    lines = [search(pattern, path="src") for pattern in ("line 7$", "line 1", "line", "none")]
    modes = [search("line 1", path="src", output_mode=mode) for mode in ("files_only", "count")]
    parts = search("line 7$", path="src/a.py", context=1), search("line", path="src", limit=2, offset=3)
    return by_name, lines, modes, parts, search("x", path="none"), search("line", path="src", file_glob="*.txt")


@case("D35", one=PLUGIN, files=FOUND)
def search_results_are_limited(host):
    def search(**options):
        return host.call_tool("search_files", pattern="line", path="src", **options).text

    counts = search(limit=2, output_mode="count"), search(limit=1, output_mode="files_only")
    same = [search(limit=2, context=1) for _ in range(3)]
    return search(limit=2), same, search(limit=3, offset=2, context=2), search(limit=9, context=1), counts


SEVERAL = {"cwd/src/a.py": "", "cwd/src/b.py": ""}


@case("D35", one=PLUGIN, files=SEVERAL, since="0.21.3", refused="list several files in the order")
def a_search_finds_several_files(host):
    return host.call_tool("search_files", pattern="*.py", target="files", path="src").text


@case("D21", one=PLUGIN, config={"platform_toolsets": {"cli": ["terminal"]}})
def a_command_removes_its_current_directory(host):
    commands = ["mkdir -p a/b && cd a/b && rm -r ../../a", "basename $(pwd)"]
    return [host.call_tool("terminal", command=command).json for command in commands]
