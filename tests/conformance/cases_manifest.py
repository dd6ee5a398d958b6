"""Cases of manifests since 0.20.1, and of the load order of plugins (N1 to N21)."""

from conformance.case import case, plugin

TELLS = "def register(ctx): ctx.register_command('told', lambda text: repr(ctx.manifest))\n"


def plugin_with_manifest(manifest):
    """Return a single plugin with this manifest; ``/told`` shows what the host read."""
    return {
        "plugins": {"p": plugin(TELLS, manifest=f"name: p\n{manifest}")},
        "enable": ["p"],
    }


GOOD = """\
manifest_version: 2
api_version: '3'
author: {name: Ada, email: ada@example.org, url: ''}
requires_plugins: []
python_dependencies: [' click>=1 ', 'no-such-package[extra]>=2', no-such-other]
config_schema: {endpoint: {type: str, required: true}}
license: MIT
homepage: https://example.org
tags: [a, 5]
emits: [made]
listens: ['other:made']
capabilities: [' tools.override', tools.override, llm.model_override]
provides_hooks: [pre_llm_call]
"""


@case("N1", **plugin_with_manifest(GOOD), also=("N8", "N10", "N11"))
def fields_of_later_manifests_are_read(host):
    return host.command("/told")


@case("N1", **plugin_with_manifest("manifest_version: abc\napi_version: x\nauthor:\n"))
def manifest_versions_that_are_not_numbers_are_reported(host):
    return host.command("/told")


@case("N1", **plugin_with_manifest("manifest_version: 3\n"))
def a_manifest_version_that_is_too_new_is_reported(host):
    return host.command("/told")


@case(
    "N2",
    **plugin_with_manifest(
        "manifest_version: 2\nprovides_middleware: []\nzzz: 1\nrequires_hermes: ''\nprovides_locales: []\n"
    ),
)
def unknown_fields_cause_a_warning(host):
    return host.command("/told")


@case("N2", **plugin_with_manifest("zzz: 1\n"))
def unknown_fields_of_old_manifests_are_ignored(host):
    return host.command("/told")


@case(
    "N3",
    **plugin_with_manifest(
        "requires_plugins: 5\npython_dependencies: {}\nconfig_schema: []\ntags: a\ncapabilities: tools.override\n"
        "provides_locales: [pl, '??']\n"
    ),
)
def manifest_fields_of_a_wrong_type_are_reported(host):
    return host.command("/told")


@case(
    "N3",
    **plugin_with_manifest(
        "requires_plugins: [5, {id: ''}, {version_range: '1'}]\n"
        "python_dependencies: ['', 5]\n"
        "config_schema: {a: str, b: {type: date}, c: {type: secret}, d: {type: INT}}\n"
        "capabilities: [5, tools.everything]\n"
    ),
)
def manifest_items_of_a_wrong_type_are_reported(host):
    return host.command("/told")


@case(
    "N9",
    plugins={"p": plugin(manifest="name: p\nconfig_schema: {c: {type: secret}, d: {type: date}, e: {type: INT}}\n")},
    enable=["p"],
    config={"plugins": {"entries": {"p": {"settings": {"c": 1, "d": 1, "e": "x"}}}}},
)
def settings_are_checked_for_known_types_only(host): ...


@case("N21", **plugin_with_manifest("hooks: [pre_llm_call]\n"))
def hooks_of_a_manifest_are_read(host):
    return host.command("/told")


LOCALES = {
    "locales/pl.yaml": "greeting: hej\n",
    "locales/pl.tui.yaml": "greeting: hej\n",
    "locales/de.desktop.yaml": "greeting: hallo\n",
    "locales/fr.zz.yaml": "greeting: salut\n",
    "locales/it.yaml": "- ciao\n",
}


def speaking(declared, body=TELLS, *, without=()):
    """Return a single plugin with these locales and texts for some of them."""
    files = {**plugin(body, manifest=f"name: p\nmanifest_version: 2\nprovides_locales: {declared}\n"), **LOCALES}
    plugins = {"p": {name: text for name, text in files.items() if name not in without}}
    return {
        "plugins": plugins,
        "enable": ["p"],
    }


@case("N20", **speaking("[PL, {id: de_AT, endonym: ' Deutsch ', rtl: 0}, '??', 5, pl, de, it, {endonym: x}, {id: sv}]"))
def locales_of_a_manifest_are_loaded(host):
    return host.command("/told")


@case("N20", **speaking("pl"))
def a_locale_of_a_manifest_can_be_a_string(host):
    return host.command("/told")


@case("N20", **speaking("5"))
def languages_of_a_manifest_must_be_a_list(host):
    return host.command("/told")


@case("N20", **speaking("[pl]", without=["__init__.py"]))
def a_plugin_can_consist_of_locales(host): ...


@case("N20", **speaking("[pl]", "def register(ctx): 1 / 0\n"))
def locales_of_a_failing_plugin_are_handled(host): ...


@case(
    "N19",
    plugins={"p": plugin(manifest="\ufeffname: other\nversion: '2'\n")},
    enable=["other"],
)
def a_manifest_can_start_with_a_byte_order_mark(host): ...


SCHEMA = """\
name: p
config_schema:
  text: {type: str}
  whole: {type: int}
  half: {type: number}
  flag: {type: bool}
  many: {type: list}
  pairs: {type: object}
  needed: {required: true}
  given: {required: true, default: 1}
"""


@case(
    "N9",
    plugins={"p": plugin(manifest=SCHEMA)},
    config={
        "plugins": {
            "entries": {
                "p": {"settings": {"text": 1, "whole": True, "half": "x", "flag": 0, "many": {}, "pairs": []}},
            }
        }
    },
    enable=["p"],
)
def settings_are_compared_with_the_schema(host): ...


@case(
    "N9",
    plugins={"p": plugin(manifest=SCHEMA)},
    config={"plugins": {"entries": {"p": {"config": {"whole": 5, "half": 1, "needed": None, "more": 1}}}}},
    enable=["p"],
)
def settings_can_be_in_their_former_place(host): ...


LOADED = "def register(ctx): ctx.register_hook('on_session_start', lambda **kwargs: {!r})\n"


def plugins_in_order(**needed):
    """Return plugins that require each other; ``on_session_start`` shows their load order."""
    plugins = {key: plugin(LOADED.format(key), name=key, requires_plugins=ids) for key, ids in needed.items()}
    return {
        "plugins": plugins,
        "enable": [*needed],
    }


@case(
    "N7",
    **plugins_in_order(adep=["zdep", "off", "adep", {"id": "mid", "version_range": ">=9"}], mid=[], zdep=[], zlast=[]),
)
def plugins_load_after_their_requirements(host):
    return host.fire("on_session_start")


@case("N6", **plugins_in_order(c=["b"], b=["c"], d=["a"], a=["z"], z=[]))
def plugins_in_a_requirement_cycle_load_alphabetically(host):
    return host.fire("on_session_start")


@case(
    "N4",
    plugins={
        "a": plugin(LOADED.format("a"), name="a", requires_plugins=["named", "disabled"]),
        "group/b": plugin(LOADED.format("b"), name="named"),
        "disabled": plugin(LOADED.format("disabled"), name="disabled"),
    },
    enable=["a", "group/b"],
)
def a_required_plugin_is_found_by_its_name(host):
    return host.fire("on_session_start")


@case(
    "A28",
    plugins={
        name: plugin(f"# {word}\ndef register(ctx): pass\n", name=name)
        for name, word in {"cron": "CronScheduler", "use": "register_computer_use_provider"}.items()
    },
    enable=["cron", "use"],
)
def words_for_schedulers_decide_the_kind_in_some_releases(host): ...


def package(value, group="", **modules):
    """Return the files of an installed package with the plugin ``mine``; ``eppkg_inner`` is a submodule."""
    texts = {f"site/{path.replace('_', '/')}.py": text for path, text in modules.items()}
    if "eppkg" not in modules:
        texts["site/eppkg/__init__.py"] = "raise ValueError('imported')\n"
    entry_points = f"[hermes_agent.plugins]\nmine = {value}\n{group}"
    metadata = "Metadata-Version: 2.1\nName: eppkg\nVersion: 1.2\nSummary: About it\n"
    return {
        **texts,
        "site/eppkg-1.2.dist-info/METADATA": metadata,
        "site/eppkg-1.2.dist-info/entry_points.txt": entry_points,
    }


@case(
    "A41",
    files=package("eppkg.inner", eppkg_inner="# MemoryProvider\n"),
    enable=["mine"],
)
def the_source_of_an_entry_point_decides_its_kind_in_some_releases(host): ...


CAPABILITIES = (
    "[hermes_agent.plugin_capabilities]\n"
    "mine.tools.override = eppkg\nmine.llm.model_override = other\nother.llm.task_override = eppkg\n"
)


@case("N27", files=package("eppkg", CAPABILITIES, eppkg=TELLS), enable=["mine"])
def an_entry_point_plugin_reports_its_package_metadata(host):
    return host.command("/told")


REQUIRED = {
    "exact": "==0.22.2",
    "other": "!=0.22.2",
    "newer": ">0.22.2",
    "bare": "0.20",
    "next": "99",
    "range": ">=0.19, <0.21",
    "candidate": ">=v0.22.2rc1",
    "broken": ">=new",
    "empty": "",
    "listed": ["0.1"],
}


@case(
    "N13",
    plugins={name: plugin(name=name, requires_hermes=wanted) for name, wanted in REQUIRED.items()},
    enable=[*REQUIRED],
)
def a_plugin_can_require_a_release(host): ...


@case(
    "A16",
    plugins={
        name: plugin(name=f"p{number}")
        for number, name in enumerate(("__pycache__", "__x__", "__y", ".hidden", ".claude-plugin", ".kimi-plugin"))
    }
    | {"group/.codex-plugin": plugin(name="inner")},
    enable=[*(f"p{number}" for number in range(6)), "group/.codex-plugin"],
)
def directories_without_a_plugin_are_skipped_in_some_releases(host): ...
