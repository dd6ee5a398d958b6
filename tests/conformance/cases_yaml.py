"""Cases of YAML files of a home, which releases parse with different libraries."""

import json

from conformance.case import case, plugin
from conformance.evaluation import PLUGINS as ASKING
from conformance.evaluation import evaluate
from conformance.gateway_cases import gateway_case, hook_files
from conformance.recorder import recorder

MANIFESTS = {
    "duplicate": "name: duplicate\nversion: 1.0.0\nversion: 1.1.0\n",
    "inner": "name: inner\nconfig_schema:\n  a: {type: integer}\n  a: {type: string}\n",
    "booleans": "name: booleans\nconfig_schema:\n  y: {type: integer}\n  on: {type: boolean}\n",
    "short": "name: y\n",
    "number": "name: number\nversion: 1e3\n",
    "octal": "name: octal\nversion: 0o17\ndescription: 017\n",
    "time": "name: time\nversion: 12:30:45\ndescription: 1_000\n",
    "date": "name: date\nversion: 2026-11-28\ndescription: 2026-11-28T12:00:00Z\n",
    "no_date": "name: no_date\nversion: 2026-13-01\n",
    "list_key": "name: list_key\n? [a, b]\n: c\n",
    "mapping_key": "name: mapping_key\n? {a: b}\n: c\n",
    "address": "name: address\nrequires_env: [{name: KEY, url: http://host}]\n",
    "colon": "name: colon\nprovides_tools: [a:]\n",
    "question": "name: question\nprovides_tools: [a?]\n",
    "tab": "name:\ttab\t# a comment\nversion: 1.0.0\n",
    "indent": "name: indent\nauthor:\n\tname: x\n",
    "anchor": "name: &a anchor\nversion: &a 1.0.0\ndescription: *a\n",
    "merge": "name: merge\nauthor: &a {name: x}\nmore: {<<: *a, <<: *a}\n",
    "directive": "%YAML 1.2\n---\nname: directive\nversion: yes\n",
    "surrogate": 'name: surrogate\ndescription: "\\ud800"\n',
    "ordered": "name: ordered\nauthor: !!omap [name: x]\n",
    "loop": "name: loop\nversion: !!python/tuple [1]\n",
}


@case("A21", plugins={folder: plugin(manifest=text) for folder, text in MANIFESTS.items()}, enable=["good"])
def a_manifest_with_duplicate_keys_or_short_booleans(host): ...


VALUES = (
    "y n Y N yes off ~ 1e3 1E+3 12e03 1. .5 1.5e3 0x1F 0b11 017 0o17 08 1_000 12:30 12:30:45 -1:30 .inf .NaN 1e400 +1"
    " 2026-11-28 2026-11-28T12:00:00Z 2026-11-28t12:00:00.5+02:00 -.5 0_7 e3 True tRue '1'"
)
READS = """
def register(ctx):
    from hermes_cli.config import load_config
    ctx.register_command("read", lambda line: repr(load_config().get("probe")))
"""


def configured_plugin(text, source=READS):
    """Return a plugin that a configuration with this text enables."""
    return {"plugins": {"p": plugin(source)}, "files": {"config.yaml": f"plugins: {{enabled: [p]}}\n{text}"}}


@case("B10", **configured_plugin("probe:\n" + "".join(f"- {value}\n" for value in VALUES.split())))
def configuration_values_are_parsed(host):
    return host.command("/read")


@case("B10", **configured_plugin("probe:\n" + "".join(f"- {{{value}: v}}\n" for value in VALUES.split())))
def configuration_keys_are_parsed(host):
    return host.command("/read")


@case("B10", **configured_plugin("probe: {1: a}\nprobe: {2: b}\n"))
def a_configuration_can_have_a_duplicate_key(host):
    return host.commands and host.command("/read")


@case("B10", **configured_plugin("probe: 2026-13-01\n"))
def a_configuration_can_have_an_invalid_date(host): ...


@case("B10", **configured_plugin("probe: [http://host:80, {a: http://b}]\n"))
def a_configuration_can_have_addresses_in_brackets(host):
    return host.command("/read")


@case(
    "B11",
    plugins={"p": plugin(READS)},
    enable=["p"],
    files={"cwd/managed/config.yaml": "probe: 1e3\nprobe: y\n"},
    environment={"HERMES_MANAGED_DIR": "managed"},
)
def a_managed_file_can_have_a_duplicate_key(host):
    return host.command("/read")


@case(
    "B11",
    plugins={"p": plugin(READS)},
    enable=["p"],
    files={"cwd/managed/config.yaml": "probe: [y, 1e3]\n"},
    environment={"HERMES_MANAGED_DIR": "managed"},
)
def values_of_a_managed_file_are_parsed(host):
    return host.command("/read")


HANDLES = "def handle(event_type, context): print('handled', event_type)\n"


@gateway_case(
    "H14",
    files={
        **hook_files("a_duplicate", "name: a\nname: b\nevents: ['gateway:startup']\n", HANDLES),
        **hook_files("b_short", "name: y\nevents: ['gateway:startup']\n", HANDLES),
        **hook_files("c_tab", "name:\tc\nevents: ['gateway:startup']\n", HANDLES),
        **hook_files("d_colon", "name: d\nevents: [gateway:startup]\n", HANDLES),
    },
)
def manifests_of_event_hooks_are_parsed_by_the_library_of_the_release(host):
    gateway = host.gateway()
    gateway.stop()
    return gateway.printed


FRONTS = {
    "duplicate": "---\ndescription: one\ndescription: two\n---\nText.\n",
    "short": "---\ndescription: y\n---\nText.\n",
    "number": "---\ndescription: 1e3\n---\nText.\n",
    "address": "---\ndescription: d\nmetadata: {url: http://host}\n---\nText.\n",
    "tab": "---\ndescription:\ttab\n---\nText.\n",
}


SKILLED = """
def register(ctx):
    for skill in __import__("pathlib").Path(__file__).parent.glob("*.md"):
        ctx.register_skill(skill.stem, skill)
"""


@case(
    "F3",
    plugins={"p": {**plugin(SKILLED, name="notes"), **{f"{name}.md": text for name, text in FRONTS.items()}}},
    enable=["notes"],
)
def front_matter_is_parsed_by_the_library_of_the_release(host):
    return {name: host.skill(f"notes:{name}") for name in FRONTS}


SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"


@case(
    "N17",
    plugins={
        "p": {
            "plugin.json": json.dumps({"$schema": SCHEMA, "name": "p"}),
            "skills/twice/SKILL.md": "---\nname: twice\ndescription: a\ndescription: b\n---\nText.\n",
            "skills/short/SKILL.md": "---\nname: short\ndescription: y\n---\nText.\n",
        }
    },
    enable=["p"],
)
def skills_of_a_portable_plugin_are_parsed_by_the_library_of_the_release(host):
    return [host.skill(f"agent-plugin-p-148de9c5:{name}") for name in ("twice", "short")]


SPEAKS = """
def register(ctx):
    ctx.register_locale_dir(__import__("pathlib").Path(__file__).parent / "locales")
"""


@case(
    "N20",
    plugins={"p": {**plugin(SPEAKS), "locales/pl.yaml": "a: b\na: c\n", "locales/sv.yaml": "y: a\non: b\n"}},
    enable=["p"],
    releases=("0.22.2",),
)
def locale_files_can_have_duplicate_keys(host): ...


READ_HERE = ("'y'", "'k: 1e3'", "'[http://host]'", "b'[n, 1_0]'", "__import__('io').StringIO('on: off')")


@case("L5", plugins=ASKING, enable=["p"])
def yaml_helpers_of_the_host_read_texts(host):
    return evaluate(host, "utils", *(f"repr(m.fast_safe_load({text}))" for text in READ_HERE))


@case("L5", plugins=ASKING, enable=["p"])
def yaml_helpers_of_the_host_write_and_read_files(host):
    *_, read = evaluate(
        host,
        "utils",
        "m.atomic_yaml_write(Path('a.yaml'), {'y': ['n', '1e3', 'on', '1.5E3', 'x']})",
        "repr(m.fast_safe_load(Path('a.yaml').read_text()))",
    )
    return read


WRITER = recorder("pass")


def write_yaml(host, content):
    return host.call_tool("write_file", path="a.yaml", content=content).value


@case("D35", one=WRITER)
def yaml_files_with_valid_syntax_are_written(host):
    texts = ("a: 1\na: 2\n", "a: !x b\n", "a\n---\nb\n", "{'a':1}\n")
    return [write_yaml(host, text) for text in texts]


@case("D35", one=WRITER, releases=("0.22.2",), refused="report syntax errors in files that tools write")
def an_address_in_brackets_is_an_error_to_the_file_tools(host):
    return write_yaml(host, "a: [http://host]\n")
