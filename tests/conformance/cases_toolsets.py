"""Cases of section C, the part about toolsets whose tools need something of the machine."""

from conformance.case import case
from conformance.gatewaying import gateway_case
from conformance.noting import registering, seen

MACHINE = """
    import os
    import pathlib

    programs = pathlib.Path("programs").absolute()
    programs.mkdir(exist_ok=True)
    for name in {names!r}:
        (programs / name).write_text("#!/bin/sh" + chr(10))
        (programs / name).chmod(0o755)
    os.environ.update(PATH=str(programs), HOME=str(programs))
    tool("mine", toolset={toolset!r})
"""


def on_machine(toolset, *names):
    """A plugin with a tool in a toolset, on a machine that has only these programs."""
    return registering(MACHINE.format(names=names, toolset=toolset))


def offered(host):
    """What a model is offered."""
    host.llm.script("done")
    host.chat("hello")
    return host.llm.requests[0].tools


@case("C11", one=on_machine("browser", "chromium", "npx"), until="0.20.6")
def the_browser_of_the_machine_is_offered(host):
    return offered(host)


@case("C11", one=on_machine("browser", "npx"), until="0.20.6")
def without_a_browser_on_the_machine_its_tools_are_not_offered(host):
    return offered(host)


@case("C11", one=on_machine("browser"), since="0.22.2")
def a_tool_in_a_toolset_of_the_browser(host):
    return offered(host)


@case("C11", one=on_machine("hermes-cli", "chromium", "npx"), until="0.20.6")
def a_tool_in_the_toolset_of_the_command_line(host):
    return offered(host)


@case("C11", one=on_machine("hermes-cli"), since="0.22.2")
def a_tool_in_the_toolset_of_the_command_line_where_a_package_drives_the_browser(host):
    return offered(host)


def _asking(model):
    return {"model": {"default": model}, "platform_toolsets": {"cli": ["vision", "set"]}}


@case("C11", one=registering("tool('mine')"), config=_asking("nova-mini"))
def images_for_a_model_that_nobody_knows(host):
    return offered(host)


@case("C11", one=registering("tool('mine')"), config=_asking("deepseek-chat"))
def images_for_a_model_that_reads_text_only(host):
    return offered(host)


@case("C11", one=registering("tool('mine')"), config=_asking("gpt-4o"))
def images_for_a_model_that_sees_them(host):
    return offered(host)


IN_COMMAND_LINE = "tool('mine', None, toolset='hermes-cli')\n"
WITHOUT_MACHINE = {"agent": {"disabled_toolsets": ["browser", "browser-use", "connections", "messaging", "vision"]}}


@gateway_case("C11", IN_COMMAND_LINE, config=WITHOUT_MACHINE)
def a_gateway_schedules_jobs(host):
    host.llm.script("done")
    host.gateway().dm("u1").receives("go")
    return host.llm.requests[0].tools


ALIASED = """
    from tools.registry import registry
    tool('mine', toolset='workshop')
    registry.register_toolset_alias('bench', 'workshop')
    registry.register_toolset_alias('shelf', 'absent')
    def look(): SEEN.append([registry.get_toolset_alias_target('bench'), registry.get_registered_toolset_aliases()])
    look()
"""
NOT_CHOSEN = {"known_plugin_toolsets": {"cli": ["workshop"]}}


@case("C10", one=registering(ALIASED), config={**NOT_CHOSEN, "platform_toolsets": {"cli": ["bench"]}})
def a_toolset_is_chosen_by_its_alias(host):
    return offered(host), seen(host)


@case("C10", one=registering(ALIASED), config={**NOT_CHOSEN, "platform_toolsets": {"cli": ["todo"]}})
def a_toolset_with_an_alias_is_not_chosen(host):
    return offered(host)


@case(
    "C10",
    one=registering(ALIASED),
    config={"platform_toolsets": {"cli": ["todo", "workshop"]}, "agent": {"disabled_toolsets": ["bench"]}},
)
def a_toolset_is_disabled_by_its_alias(host):
    return offered(host)


@case(
    "C10",
    one=registering(
        ALIASED + "    registry.register_toolset_alias('bench', 'table')\n    look()\n"
        "    registry.register_toolset_alias('bench', 'workshop')\n    registry.deregister('mine')\n    look()\n"
    ),
)
def an_alias_of_another_toolset_and_of_an_empty_one(host):
    return seen(host)
