"""Cases of plugins that load further plugins from their own subdirectories."""

from conformance.case import case, plugin

PART = """
    import json
    def answer(args, **kwargs):
        return json.dumps([__name__, __package__, __file__.rpartition("/parts/")[2]])
    def register(ctx):
        ctx.register_tool("{name}_tool", "{name}", {{"name": "{name}_tool", "parameters": {{}}}}, answer)
        ctx.register_hook("pre_tool_call", lambda tool_name, **kwargs: None)
        ctx.register_command("{name}", lambda line: str([ctx.manifest.name, line]))
"""
LOADING = """
    import importlib.util, runpy, sys
    from pathlib import Path
    PARTS = sorted((Path(__file__).parent / "parts").iterdir())
    def load(part, name):
        spec = importlib.util.spec_from_file_location(name, part / "__init__.py", submodule_search_locations=[str(part)])
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
"""


def bundle(body, *, broken=""):
    """Return the files of a plugin with the parts ``one`` and ``two``, which have their own manifests."""
    files = {
        f"parts/{name}/{file}": text
        for name in ("one", "two")
        for file, text in plugin(PART.format(name=name), name=name, kind="standalone").items()
    }
    files |= {"parts/two/__init__.py": broken} if broken else {}
    return {**plugin(LOADING + body, name="p"), **files}


def describe_parts(host):
    """Return the results of the parts, and the tools attributed to the bundle."""
    names = ("one", "two")
    commands = [host.command(f"/{name} x") for name in names if name in host.commands]
    return [host.call_tool(f"{name}_tool").value for name in names], commands, host.report()["tools"], host.tools


@case(
    "A18",
    plugins={
        "p": bundle(
            "    def register(ctx):\n        for one in PARTS: load(one, f'{__name__}.{one.name}').register(ctx)\n"
        )
    },
    enable=["p"],
)
def a_bundle_loads_its_parts_as_its_own_modules(host):
    return describe_parts(host)


@case(
    "A18",
    plugins={"p": bundle("    def register(ctx):\n        for one in PARTS: load(one, one.name).register(ctx)\n")},
    enable=["p", "one"],
)
def a_bundle_loads_its_parts_as_modules_of_their_names(host):
    return describe_parts(host)


@case(
    "A18",
    plugins={
        "p": bundle("""
    class Renamed:
        def __init__(self, ctx, name):
            self.ctx, self.name = ctx, name
        def register_command(self, name, *args, **kwargs):
            return self.ctx.register_command(f"p-{name}", *args, **kwargs)
        def __getattr__(self, name):
            return getattr(self.ctx, name)
    def register(ctx):
        for one in PARTS:
            runpy.run_path(str(one / "__init__.py"), run_name=one.name)["register"](Renamed(ctx, one.name))
""")
    },
    enable=["p"],
)
def a_bundle_runs_its_parts_with_a_context_around_its_own(host):
    return describe_parts(host)


@case(
    "A18",
    plugins={
        "p": bundle(
            """
    def register(ctx):
        failed = []
        for one in PARTS:
            try: load(one, f"{__name__}.{one.name}").register(ctx)
            except Exception as error: failed.append(f"{type(error).__name__}: {error}")
        ctx.register_command("failed", lambda line: str(failed))
""",
            broken="import no_such_module\n",
        )
    },
    enable=["p"],
)
def a_bundle_leaves_out_a_part_that_fails(host):
    return *describe_parts(host), host.command("/failed")


@case(
    "A18",
    plugins={"p": bundle("    def register(ctx): pass\n")},
    files={
        f"plugins/shelf/{name}/{file}": text
        for name in ("one", "two")
        for file, text in plugin(PART.format(name=name), name=name).items()
    },
    enable=["p", "shelf/one"],
)
def parts_of_a_plugin_are_not_discovered_unlike_those_of_a_category(host):
    return [host.call_tool(f"{name}_tool").value for name in ("one", "two")], host.commands, host.tools
