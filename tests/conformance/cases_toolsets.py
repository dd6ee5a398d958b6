"""Cases of section C: toolsets whose tools depend on the machine."""

from conformance.case import case
from conformance.gateway_cases import gateway_case
from conformance.recorder import read_notes, recorder

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
    """Return a plugin with a tool in a toolset, on a machine with only these programs."""
    return recorder(MACHINE.format(names=names, toolset=toolset))


def list_offered_tools(host):
    """Return the tools offered to a model."""
    host.llm.script("done")
    host.chat("hello")
    return host.llm.requests[0].tools


@case("C11", one=on_machine("browser", "chromium", "npx"), until="0.20.6")
def browser_tools_are_offered_with_an_installed_browser(host):
    return list_offered_tools(host)


@case("C11", one=on_machine("browser", "npx"), until="0.20.6")
def browser_tools_are_not_offered_without_an_installed_browser(host):
    return list_offered_tools(host)


@case("C11", one=on_machine("browser"), since="0.22.2")
def a_plugin_tool_in_the_browser_toolset_is_offered(host):
    return list_offered_tools(host)


@case("C11", one=on_machine("hermes-cli", "chromium", "npx"), until="0.20.6")
def a_plugin_tool_in_the_cli_toolset_is_offered(host):
    return list_offered_tools(host)


@case("C11", one=on_machine("hermes-cli"), since="0.22.2")
def a_plugin_tool_in_the_cli_toolset_is_offered_with_a_packaged_browser(host):
    return list_offered_tools(host)


def _model_config(model):
    return {"model": {"default": model}, "platform_toolsets": {"cli": ["vision", "set"]}}


@case("C11", one=recorder("tool('mine')"), config=_model_config("nova-mini"))
def vision_tools_are_chosen_for_an_unknown_model(host):
    return list_offered_tools(host)


@case("C11", one=recorder("tool('mine')"), config=_model_config("deepseek-chat"))
def vision_tools_are_chosen_for_a_model_without_vision(host):
    return list_offered_tools(host)


@case("C11", one=recorder("tool('mine')"), config=_model_config("gpt-4o"))
def vision_tools_are_chosen_for_a_model_with_vision(host):
    return list_offered_tools(host)


IN_COMMAND_LINE = "tool('mine', None, toolset='hermes-cli')\n"
WITHOUT_MACHINE = {"agent": {"disabled_toolsets": ["browser", "browser-use", "connections", "messaging", "vision"]}}


@gateway_case("C11", IN_COMMAND_LINE, config=WITHOUT_MACHINE)
def tools_for_scheduled_jobs_are_offered_in_a_gateway(host):
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


@case("C10", one=recorder(ALIASED), config={**NOT_CHOSEN, "platform_toolsets": {"cli": ["bench"]}})
def a_toolset_is_selected_by_its_alias(host):
    return list_offered_tools(host), read_notes(host)


@case("C10", one=recorder(ALIASED), config={**NOT_CHOSEN, "platform_toolsets": {"cli": ["todo"]}})
def a_toolset_with_an_alias_is_not_selected(host):
    return list_offered_tools(host)


@case(
    "C10",
    one=recorder(ALIASED),
    config={"platform_toolsets": {"cli": ["todo", "workshop"]}, "agent": {"disabled_toolsets": ["bench"]}},
)
def a_toolset_is_disabled_by_its_alias(host):
    return list_offered_tools(host)


@case(
    "C10",
    one=recorder(
        ALIASED + "    registry.register_toolset_alias('bench', 'table')\n    look()\n"
        "    registry.register_toolset_alias('bench', 'workshop')\n    registry.deregister('mine')\n    look()\n"
    ),
)
def an_alias_can_name_another_or_an_empty_toolset(host):
    return read_notes(host)
