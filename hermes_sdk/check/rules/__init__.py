r'''Rules of the check, one module for each family; `RULES` is the list that the engine runs.

A rule is a function with the decorator `rule` of its family. The decorator takes the code, a `bad` and a `good`
example, and facts such as `severity`, `since` and `references` (see `hermes_sdk.check.rule.Rule`). The docstring has
three paragraphs: the title, the consequence of the problem, and the fix. `explain`, the reference page and the help in
SARIF are generated from these. To add a rule, write a function in the module of its family; to add a family, add a line
below. `tests/check/test_rules.py` tests each rule with its own examples: it finds the bad one, no other rule finds an
error there, and the good one has no findings. `tests/check/probes.py` shows the damage of the bad example on a running
host, or explains why that is not possible.

As with fixtures of pytest, the names of the parameters select the subject of a rule:

    plugin               the manifest and the files; with `online=True`, also the network (``--online``)
    plugin, reader       the YAML files of the plugin, which releases read with different libraries; the rule runs
                         once for each `YamlReader`
    source               each Python file that can be parsed
    plugin, contract     the plugin and the contract of one release, without loading the plugin
    load                 the result of loading the plugin in a child process; by default, only if it loads, else for
                         the given `statuses`
    registration, load   each call of the ``ctx.register_*`` methods in `call`: the calls that the host recorded or,
                         for a plugin that is not loaded, those that are certain from its source
    plugin, wheel        the built wheel and source distribution; the rule does not run without a ``[project]``
                         table, or with neither a build system nor entry points
    trial                a run of each shell hook in its ``config.yaml.example`` on a sample call

`example(source, manifest=…, files=…)` creates the examples. Each function yields `Problem(message, path, line,
column)`. Static rules (about `plugin`, `source` or `contract`) never import the plugin, import no libraries except
those for YAML, and read files only through `Plugin` and `Source`, because the cache keeps their findings until such a
file changes. Rules run in any order and are independent of each other.

**The manifest.** `plugin.fields` is the mapping, `plugin.manifest.position(*keys)` the place of a key or an item::

    @rule("HS196", severity="warning", bad=example(manifest=f"{MANIFEST}label: ''\n"), good=example())
    def empty_label(plugin: Plugin) -> Iterator[Problem]:
        """label is empty

        The host shows the plugin without a name.

        Fix: Write a label, or remove the key.
        """
        if plugin.manifest and plugin.fields.get("label") == "":
            place = plugin.manifest.position("label")
            yield Problem("the label is empty", plugin.relative(plugin.manifest.path), *place)

**A syntax tree.** A `Source` has `nodes`, `calls`, `imports`, and the context of a node (`parent`, `ancestors`,
`function`, `runs_at_import`, `is_guarded`); `dotted_name` expands imported names. With `needs`, the rule runs only on
files with one of the texts, which keeps many rules fast::

    @rule("HS297", needs=("sleep",), bad=example("import time\n\ntime.sleep(1)\n"), good=example())
    def sleep_at_import(source: Source) -> Iterator[Problem]:
        """module sleeps while it is imported

        Every start of Hermes takes that much longer.

        Fix: Remove the call.
        """
        for call in source.calls("time.sleep"):
            if source.runs_at_import(call):
                yield Problem("the import of this module sleeps", *source.place(call))

**A release.** A rule with a `contract` runs once for each release of ``--target``; the engine merges findings that
differ only in the severity and the names of releases, and keeps the most severe. `since`, `until` and `behaviour` limit
the releases to those for which the texts of the rule are true. In a range, an error becomes a warning if neither the
default release nor the oldest one in `requires_hermes` is affected::

    @rule("HS298", bad=example("def register(ctx):\n    ctx.register_middleware('x', print)\n"), good=example())
    def missing_context_method(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
        """ctx has no register_middleware

        The call raises an AttributeError, and the plugin does not load.

        Fix: Test with `hasattr` whether the method exists.
        """
        for source in plugin.sources:
            for call in source.calls(".register_middleware"):
                if "register_middleware" not in contract.context:
                    message = f"ctx.register_middleware does not exist in Hermes {contract.release}"
                    yield Problem(message, *source.place(call))

**A load.** `load.report` is the report of `hermes-sdk show`, `load.registrations("register_tool")` returns the calls
with the facts about their handlers, and `load.contract` is the contract of the release. `load.call_place` and
`load.callable_place` return places, and `callables.find_definition` the function. Without a load, a rule about a
registration runs on the registrations in the source, and there is no `load.report`. Looking up a fact that the source
does not reveal, as in ``registration["schema"]``, ends the rule: look it up only if the result depends on it::

    @rule("HS399", call="register_tool", bad=_plugin(toolset=""), good=_plugin())
    def missing_toolset(registration: Registration, load: Load) -> Iterator[Problem]:
        """tool has no toolset

        Users cannot switch the tool on.

        Fix: Name a toolset of the plugin.
        """
        if not registration["toolset"]:
            yield Problem("the tool has no toolset", *load.call_place(registration))

**A repair.** Pass `Problem(…, repair=…)` a repair from `hermes_sdk.check.repair`: `set_in_manifest` (keeps comments and
order), `replace_in_manifest` (renames a key, quotes a value) or `replace_in_source`. It is safe if it changes only the
reported problem, and no other behaviour of the plugin; `--fix` applies safe repairs, `--unsafe-fixes` all. Never pass a
partial repair; pass None instead. `loading.registered_not_declared` is an example.
'''

from __future__ import annotations

from hermes_sdk.check.rules import (
    catalog,
    commands,
    core_tools,
    coroutines,
    hooks,
    hooks_arguments,
    imports,
    loading,
    loading_code,
    loading_imports,
    manifest,
    manifest_hosts,
    nix,
    packaging,
    platforms,
    portable,
    providers,
    providers_loading,
    security,
    security_environment,
    shell_hooks,
    skills,
    suppression,
    tools,
    tools_handlers,
    tools_search,
)

_FAMILIES = (
    manifest,
    manifest_hosts,
    loading,
    loading_code,
    loading_imports,
    tools,
    tools_handlers,
    tools_search,
    coroutines,
    hooks,
    hooks_arguments,
    commands,
    providers,
    providers_loading,
    platforms,
    packaging,
    catalog,
    security,
    security_environment,
    imports,
    shell_hooks,
    core_tools,
    skills,
    portable,
    nix,
    suppression,
)

RULES = tuple(sorted(rule for family in _FAMILIES for rule in family.RULES))
"""Every rule once, in the order of the codes."""
