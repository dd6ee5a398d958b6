"""Cases of core-tool files, which both hosts load as plugins that import them."""

import tempfile
from pathlib import Path
from textwrap import dedent

from conformance.case import case

from hermes_sdk.hosts.staging.core_tool import write_plugin


def stage_file(body):
    """Return the files of the plugin that imports a core-tool file."""
    with tempfile.TemporaryDirectory() as name:
        file, directory = Path(name, "weather_tool.py"), Path(name, "plugin")
        file.write_text(dedent(body), encoding="utf-8")
        write_plugin(file, directory, link=False)
        return {one.name: one.read_text(encoding="utf-8") for one in sorted(directory.iterdir())}


GOOD = """
    from tools.registry import registry, tool_result

    def answer(args, **kwargs):
        return tool_result(place=args["place"], module=__name__)

    async def later(args, **kwargs):
        return tool_result(later=True)

    PLACE = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
    registry.register(
        name="weather", toolset="sky", schema={"name": "weather", "description": "Tell it.", "parameters": PLACE},
        handler=answer, emoji="W", max_result_size_chars=5000,
    )
    registry.register("tide", "sea", {"name": "tide", "description": "Tell it."}, later, is_async=True)
    registry.register(
        name="hidden", toolset="sky", schema={"name": "hidden", "description": "No."}, handler=answer,
        check_fn=lambda: False,
    )
"""


@case("C1", plugins={"weather_tool": stage_file(GOOD)}, enable=["weather_tool"])
def a_core_tool_file_is_imported_into_the_package_of_the_host(host):
    return [
        host.definitions(),
        host.call_tool("weather", place=7).text,
        host.call_tool("tide").text,
        host.call_tool("weather").text,
    ]


@case(
    "C1",
    plugins={"weather_tool": stage_file("from tools.registry import registry\nimport absent_module\n")},
    enable=["weather_tool"],
)
def a_core_tool_file_that_raises_does_not_load(host):
    return host.tools


OVER = """
    from tools.registry import registry

    registry.register(
        name="terminal", toolset="mine", schema={"name": "terminal", "description": "Mine."},
        handler=lambda args, **kwargs: "mine", override=True,
    )
"""


@case(
    "C4",
    plugins={"weather_tool": stage_file(OVER)},
    enable=["weather_tool"],
    config={"plugins": {"entries": {"weather_tool": {"allow_tool_override": True}}}},
)
def a_core_tool_file_replaces_a_built_in_tool(host):
    return [host.tools, host.call_tool("terminal", command="x").text]
