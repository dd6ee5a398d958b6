"""Cases of H1 to H9: enabled platforms of a gateway, their settings and adapters."""

import json

from conformance.case import case
from conformance.gateway_cases import gateway_case, list_events, write_messages
from conformance.recorder import read_notes

OFF = {"platforms": {"echo": {"enabled": False}}}


def start_and_stop(host):
    """Return the connected platforms, the arguments of their adapters, and the log."""
    gateway = host.gateway()
    connected = gateway.platforms
    gateway.stop()
    return connected, read_notes(host), list_events(host)["logged"]


@gateway_case("H5")
def a_platform_is_enabled_automatically(host):
    return start_and_stop(host)


@gateway_case("H5", "entry['check_fn'] = lambda: False\n")
def a_platform_with_missing_requirements_stays_disabled(host):
    return start_and_stop(host)


@gateway_case(
    "H5",
    "entry.update(check_fn=lambda: False, install_hint='install it')\n",
    config={"platforms": {"echo": {"enabled": True}}},
)
def an_enabled_platform_with_missing_requirements_is_reported(host):
    return start_and_stop(host)


@gateway_case("H5", config=OFF)
def a_platform_can_be_disabled(host):
    return start_and_stop(host)


@gateway_case(
    "H5", "entry['is_connected'] = lambda config: SEEN.append(['asked', config.enabled, config.extra]) or False\n"
)
def a_platform_whose_is_connected_is_false_stays_disabled(host):
    return start_and_stop(host)


@gateway_case(
    "H6",
    "entry['is_connected'] = lambda config: bool(config.extra.get('key'))\n",
    config={"platforms": {"echo": {"extra": {"key": "k"}}}},
)
def a_platform_whose_is_connected_is_true_is_enabled(host):
    return start_and_stop(host)


@gateway_case(
    "H5",
    "entry['env_enablement_fn'] = lambda: {'token': os.environ.get('ECHO_TOKEN'), 'home_channel': {'chat_id': 'home', 'name': 'Home'}}\n",
    environment={"ECHO_TOKEN": "t"},
)
def platform_settings_come_from_the_environment(host):
    host.llm.script("one")
    return write_messages(host, "hello"), read_notes(host)


@gateway_case("H5", "entry['env_enablement_fn'] = lambda: None\n")
def the_environment_can_provide_no_platform_settings(host):
    return start_and_stop(host)


@gateway_case(
    "H5",
    "entry['env_enablement_fn'] = lambda: {'token': 'environment', 'other': 1}\n",
    config={"platforms": {"echo": {"extra": {"token": "file"}}}},
)
def platform_settings_in_the_environment_and_the_file_are_merged(host):
    return start_and_stop(host)


@gateway_case(
    "H5",
    "entry['apply_yaml_config_fn'] = lambda whole, block: SEEN.append(['asked', sorted(whole), block]) or {'made': block.get('colour')}\n",
    config={"platforms": {"echo": {"enabled": True, "colour": "red", "extra": {"a": 1}}}},
)
def platform_settings_are_derived_from_the_file(host):
    return start_and_stop(host)


@gateway_case(
    "H4",
    config={
        "platforms": {"echo": {"enabled": True, "extra": {"a": "platforms", "b": 1}, "colour": "red"}},
        "gateway": {"platforms": {"echo": {"enabled": False, "extra": {"a": "gateway", "c": 2}, "token": "secret"}}},
    },
)
def two_blocks_of_platform_settings_are_merged(host):
    return start_and_stop(host)


@gateway_case(
    "H4",
    config={"gateway": {"platforms": {"echo": {"enabled": True, "extra": {"c": 2}}}}},
)
def platform_settings_can_be_below_gateway(host):
    return start_and_stop(host)


@gateway_case(
    "H4",
    config={
        "gateway": {
            "echo": {"enabled": True, "extra": {"a": "beside", "c": 2}, "token": "secret"},
            "nothing": {"enabled": True},
            "platforms": {"echo": {"extra": {"a": "gateway", "b": 1}}},
        },
        "platforms": {"echo": {"extra": {"a": "platforms", "d": 3}}},
    },
)
def platform_settings_can_be_beside_the_settings_of_the_gateway(host):
    return start_and_stop(host)


@gateway_case(
    "H4",
    config={
        "echo": {"enabled": False, "extra": {"a": 1}, "allow_from": ["u1"], "require_mention": True, "colour": "red"}
    },
)
def a_top_level_block_disables_a_platform(host):
    return start_and_stop(host)


@gateway_case(
    "H4",
    config={
        "echo": {
            "enabled": True,
            "extra": {"a": 1},
            "allow_from": ["u1"],
            "require_mention": True,
            "dm_policy": "open",
            "colour": "red",
            "token": "t",
        }
    },
)
def a_top_level_block_enables_a_platform(host):
    return start_and_stop(host)


@gateway_case(
    "H7",
    "entry['validate_config'] = lambda config: SEEN.append(['asked', config.extra]) or False\n",
    config={"platforms": {"echo": {"enabled": True}}},
)
def invalid_platform_settings_are_rejected(host):
    return start_and_stop(host)


@gateway_case("H7", "entry['adapter_factory'] = lambda config: None\n")
def an_adapter_factory_returns_none(host):
    return start_and_stop(host)


@gateway_case("H7", "entry['adapter_factory'] = lambda config: 1 / 0\n")
def an_adapter_factory_raises(host):
    return start_and_stop(host)


@gateway_case(
    "H7", "entry['validate_config'] = lambda config: 1 / 0\n", config={"platforms": {"echo": {"enabled": True}}}
)
def the_validation_of_platform_settings_raises(host):
    return start_and_stop(host)


@gateway_case("H7", "entry['check_fn'] = lambda: 1 / 0\n", config={"platforms": {"echo": {"enabled": True}}})
def the_check_of_a_platform_raises(host):
    return start_and_stop(host)


@gateway_case(
    "N91",
    "entry['check_fn'] = lambda: False\nentry['ensure_deps_fn'] = lambda: SEEN.append('installs') or True\n",
    releases=["0.20.2", "0.22.2"],
)
def missing_dependencies_of_a_platform_are_installed(host):
    return start_and_stop(host)


@gateway_case(
    "N91",
    "entry['check_fn'] = lambda: False\nentry['ensure_deps_fn'] = lambda: 1 / 0\n",
    config={"platforms": {"echo": {"enabled": True}}},
    releases=["0.20.2", "0.22.2"],
)
def missing_dependencies_of_a_platform_cannot_be_installed(host):
    return start_and_stop(host)


@gateway_case(
    "N92",
    """
        def first(native, adapter): SEEN.append(["first", native, adapter.name])
        def second(native, adapter): SEEN.append(["second", native, adapter.name])
        def fails(native, adapter): raise OSError("no")
        SEEN.append([ctx.register_platform_handler(" Echo ", first), ctx.register_telegram_handler(second)])
        ctx.register_platform_handler("echo", fails)
    """,
    adapter="""
        async def connect(self, **more):
            self._wire_plugin_handlers("client")
            self._wire_plugin_handlers("client")
            self.rewire_plugin_handlers()
            self._wire_plugin_handlers("other")
            return True
    """,
    releases=["0.22.2"],
)
def platform_handlers_are_wired_to_native_clients(host):
    return start_and_stop(host)


REFUSED = """
    def register(ctx):
        told = []
        def reply(line):
            return repr(told)
        for arguments in (("echo", 5), ("", reply), (None, reply), (" ", reply)):
            try:
                told.append(ctx.register_platform_handler(*arguments))
            except ValueError as error:
                told.append(str(error))
        for name in ("telegram", "local", " Discord", "irc", "mine"):
            try:
                told.append(bool(ctx.register_platform(name, "X", dict, bool, trusted_inbound=True)))
            except ValueError as error:
                told.append(str(error))
        ctx.register_command("try", reply)
"""


@case("N92", one=REFUSED, releases=["0.22.2"])
def invalid_platform_registrations_are_rejected(host):
    return host.command("/try")


@gateway_case("H7", "entry['is_connected'] = lambda config: 1 / 0\n")
def is_connected_of_a_platform_raises(host):
    return start_and_stop(host)


@gateway_case(
    "H7",
    "entry['env_enablement_fn'] = lambda: 1 / 0\nentry['apply_yaml_config_fn'] = lambda whole, block: 1 / 0\n",
    config={"platforms": {"echo": {"enabled": True}}},
)
def functions_for_platform_settings_raise(host):
    return start_and_stop(host)


@gateway_case("H3", "entry['name'] = 'Echo'\n")
def a_platform_with_a_capital_in_its_name_is_not_enabled(host):
    return start_and_stop(host)


@gateway_case("H7", config={"platforms": {"other": {"enabled": True}}})
def an_unknown_platform_is_reported(host):
    gateway = host.gateway()
    return gateway.platforms, [one.message for one in host.log if "other" in one.message and one.level != "INFO"]


@gateway_case(
    "H8",
    adapter="""
        gateway_runner = None
        async def connect(self, **more):
            SEEN.append([sorted(more), type(self.gateway_runner).__name__, callable(self._message_handler), self.is_connected, self.name, self.platform.value])
            self._mark_connected()
            return True
    """,
)
def an_adapter_is_prepared_before_it_connects(host):
    return start_and_stop(host)


@gateway_case("H9", "entry['platform_hint'] = 'HINT for the model'\n")
def the_hint_is_in_the_system_prompt(host):
    host.llm.script("one")
    host.gateway().dm().receives("hello")
    return "HINT for the model" in host.llm.requests[0].system_text


@gateway_case(
    "H9",
    "tool('mine', lambda args, **kw: '{}', toolset='echo')\ntool('other', lambda args, **kw: '{}', toolset='set')\n",
    config={
        "platform_toolsets": {"echo": ["hermes-echo"]},
        "agent": {"disabled_toolsets": ["browser", "computer_use", "vision", "connections"]},
    },
)
def tools_of_the_platform_toolset_are_offered(host):
    host.llm.script("one")
    host.gateway().dm().receives("hello")
    return [name for name in host.llm.requests[0].tools if name in ("mine", "other")]


@gateway_case("H2", "entry['max_message_length'] = 20\n")
def a_long_answer_is_passed_to_the_adapter_unsplit(host):
    host.llm.script("word " * 20)
    return write_messages(host, "hello")


@gateway_case(
    "B17",
    """
    import threading
    def check(): return SEEN.append(["checked", threading.current_thread().name.partition("_")[0]]) is None
    for name in ("a", "b"):
        ctx.register_tool(name, "set", {"name": name, "parameters": {}}, lambda args, **kwargs: "", check_fn=check)
    """,
    adapter="async def connect(self, **more): SEEN.append('connect'); self._mark_connected(); return True",
)
def a_gateway_checks_its_tools_when_it_starts(host):
    host.gateway().stop()
    return json.loads(host.command("/seen"))
