r'''The rules, one file a family; `RULES` is the list that the engine runs.

A rule is a function with the decorator `rule` of its family. The decorator takes the code, a `bad` and a `good`
example, and facts such as `severity`, `since` and `references` (see `hermes_sdk.check.rule.Rule`). The docstring has
three paragraphs: the title, what goes wrong when nobody acts, and how to fix it. All of `explain`, the reference page
and the help in SARIF is made from these. A new rule is a function in the file of its family; a new family is a line
below. `tests/check/test_rules.py` then tests the rule with its own examples: it finds the bad one, no other rule finds
an error there, and the good one is clean. `tests/check/probes.py` says what shows the damage of the bad example on a
running host, or why nothing can.

As with fixtures of pytest, the names of the parameters say what a rule looks at:

    plugin               the manifest, the files; with `online=True`, what only the network can tell (``--online``)
    plugin, reader       the YAML files of the plugin, which releases read with different libraries; it is asked
                         once for each `YamlReader`
    source               each Python file that can be parsed
    plugin, contract     the plugin against what one release promises, static
    load                 how loading it in a child process went; without `statuses=…` only if it loaded
    registration, load   each call of the ``ctx.register_*`` that `call` names: those that the host noted, or, for a
                         plugin that is not loaded, those that its source makes certain
    plugin, wheel        what its project builds; not run without a ``[project]`` table, or with neither a
                         build system nor entry points
    trial                one run of each shell hook that its ``config.yaml.example`` lists, on a sample call

`example(source, manifest=…, files=…)` makes the examples. Each function yields `Problem(message, path, line, column)`.
Static rules (about `plugin`, `source` or `contract`) never import the plugin, import no library but those for YAML, and
read files through `Plugin` and `Source` only, since the cache keeps what they found until such a file changes. Rules
run in every order and know nothing of each other.

**The manifest.** `plugin.fields` is its mapping, `plugin.manifest.position(*keys)` the place of a key or an item::

    @rule("HS196", severity="warning", bad=example(manifest=f"{MANIFEST}label: ''\n"), good=example())
    def empty_label(plugin: Plugin) -> Iterator[Problem]:
        """label is empty

        The host shows the plugin without a name.

        Fix: Write a label, or remove the key.
        """
        if plugin.manifest and plugin.fields.get("label") == "":
            place = plugin.manifest.position("label")
            yield Problem("the label is empty", plugin.relative(plugin.manifest.path), *place)

**A syntax tree.** A `Source` was walked once: ask it for `nodes`, `calls`, `imports`, and for what is around a node
(`parent`, `ancestors`, `function`, `runs_at_import`, `is_guarded`); `dotted` writes imported names out. With `needs`
the rule sees only the files that hold one of the texts, which is what keeps many rules fast::

    @rule("HS297", needs=("sleep",), bad=example("import time\n\ntime.sleep(1)\n"), good=example())
    def sleep_at_import(source: Source) -> Iterator[Problem]:
        """module sleeps while it is imported

        Every start of Hermes takes that much longer.

        Fix: Remove the call.
        """
        for call in source.calls("time.sleep"):
            if source.runs_at_import(call):
                yield Problem("the import of this module sleeps", *source.place(call))

**A release.** A rule with a `contract` is asked once for each release of ``--target``; the engine makes one finding of
those that differ in nothing but names of releases and their severity, and keeps the worst. `since` and `until` limit
the releases, and so does `behaviour`: what a rule says of Hermes is true of each release that it concerns. In a range,
an error is a warning if neither the default release nor the oldest one in `requires_hermes` is affected::

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

**A load.** `load.report` is what `hermes-sdk show` prints, `load.registrations("register_tool")` each call, with the
facts of its handler; `load.contract` is the release. `load.call_place` and `load.callable_place` say where it
stands, and `callables.find_definition` finds the function itself. A rule about a registration is also asked without a
load, with a registration that was read from the source: a fact that the source does not reveal ends the rule when it
asks for it, so ask for it as ``registration["schema"]``, and only when it matters. `load.report` is not there then::

    @rule("HS399", call="register_tool", bad=_plugin(toolset=""), good=_plugin())
    def missing_toolset(registration: Registration, load: Load) -> Iterator[Problem]:
        """tool has no toolset

        Users cannot switch the tool on.

        Fix: Name a toolset of the plugin.
        """
        if not registration["toolset"]:
            yield Problem("the tool has no toolset", *load.call_place(registration))

**A repair.** `Problem(…, repair=…)` takes what `hermes_sdk.check.repair` makes: `set_in_manifest` (keeps comments and
order), `replace_in_manifest` (renames a key, quotes a value), `replace_in_source`. It is safe when the plugin surely
does the same afterwards but for what the finding complains about; `--fix` applies safe ones, `--unsafe-fixes` all. A
problem never has a half repair: pass None. `loading.registered_not_declared` is an example.
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
