"""Cases of the public guide to building a plugin (S0): its examples, with the same names, signatures and shapes.

Like those of `cases_documents`, they also run on the profile ``documented``, in `test_documents`.
"""

from pathlib import Path

from conformance.case import case, plugin

from hermes_sdk.hosts.interface import HostExited

PROJECT = Path(__file__).parents[2] / "bench" / "subjects" / "calculator"
CALCULATOR = {path.name: path.read_text() for path in (PROJECT / "calculator").iterdir() if path.is_file()}


@case("S0", plugins={"calculator": CALCULATOR}, enable=["calculator"])
def the_calculator_example_works(host):
    expressions = ("2**16", "sqrt(144)", "1/0", "")
    amounts = ((100, "F", "C"), ("1.5", "TB", "GB"), (5, "km", "mi"), (1, "km", "GB"))
    results = [host.call_tool("calculate", expression=expression).json for expression in expressions]
    results += [host.call_tool("unit_convert", value=a, from_unit=b, to_unit=c).json for a, b, c in amounts]
    noted = [record.message for record in host.log if record.logger.endswith(".calculator")]
    return {"results": results, "noted": noted, "offered": host.definitions()}


@case(
    "S0",
    one="def work(args, **kwargs): return 'done'\n"
    "def register(ctx):\n"
    "    ctx.register_tool(name='my_tool', schema={'name': 'my_tool'}, handler=work, check_fn=lambda: False)\n"
    "    ctx.register_tool(name='other', schema={'name': 'other'}, handler=work, check_fn=lambda: True)\n",
)
def tools_without_a_toolset_cannot_be_registered(host):
    offered = [one["function"]["name"] for one in host.definitions()]
    return {"offered": offered, "called": [host.call_tool(name).text for name in ("my_tool", "other")]}


@case(
    "S0",
    plugins={
        "p": {
            **plugin(
                # Since 0.22.2 the host has no `yaml` module, but JSON is valid YAML.
                "from importlib.util import find_spec\nfrom pathlib import Path\n"
                "if find_spec('yaml'): from yaml import safe_load as load\n"
                "else: from json import load\n"
                "with open(Path(__file__).parent / 'data' / 'languages.yaml') as file: DATA = load(file)\n"
                "def register(ctx): ctx.register_command('languages', lambda raw_args: ' '.join(DATA))\n",
                name="p",
            ),
            "data/languages.yaml": '["Python", "Nix"]\n',
        }
    },
    enable=["p"],
)
def data_files_can_be_read_at_import(host):
    return host.command("/languages")


@case(
    "S0",
    plugins={
        "my-plugin": {
            **plugin(
                """
                from pathlib import Path
                def register(ctx):
                    for folder in sorted((Path(__file__).parent / "skills").iterdir()):
                        if (folder / "SKILL.md").exists():
                            ctx.register_skill(folder.name, folder / "SKILL.md")
                """,
                name="my-plugin",
            ),
            "skills/my-workflow/SKILL.md": "---\nname: my-workflow\ndescription: Steps\n---\nFirst this.\n",
            "skills/my-checklist/SKILL.md": "Tick all.\n",
            "skills/notes.txt": "",
        }
    },
    enable=["my-plugin"],
)
def a_plugin_can_bundle_skills(host):
    return host.skill("my-plugin:my-workflow")["content"]


WEATHER_ENV = ["WEATHER_API_KEY", {"name": "OTHER_KEY", "description": "of the other service", "secret": True}]


@case(
    "S0",
    plugins={"w": plugin(name="weather", requires_env=["WEATHER_API_KEY"])},
    enable=["weather"],
)
def a_plugin_loads_without_its_required_variable(host): ...


@case("S0", plugins={"w": plugin(name="weather", requires_env=WEATHER_ENV)}, enable=["weather"])
def a_plugin_loads_without_its_required_variables(host): ...


@case(
    "S0",
    plugins={"w": plugin(name="weather", requires_env=WEATHER_ENV)},
    enable=["weather"],
    files={".env": "WEATHER_API_KEY=1\n"},
    environment={"OTHER_KEY": "1"},
)
def a_plugin_loads_with_its_required_variables(host): ...


@case(
    "S0",
    plugins={
        "my-plugin": plugin(
            """
            def _my_command(args):
                print({"status": "fine", "config": "empty"}.get(getattr(args, "my_command", None), "status or config?"))
            def _setup_argparse(subparser):
                subs = subparser.add_subparsers(dest="my_command")
                subs.add_parser("status", help="How it is")
                subs.add_parser("config", help="What is set")
                subparser.set_defaults(func=_my_command)
            def register(ctx):
                ctx.register_cli_command(
                    name="my-plugin", help="My plugin", setup_fn=_setup_argparse, handler_fn=_my_command
                )
            """,
            name="my-plugin",
        )
    },
    enable=["my-plugin"],
)
def a_cli_command_handles_subcommands(host):
    results = [host.cli("my-plugin", *more) for more in (["status"], ["config"], [])]
    return [[result.exit_code, result.stdout] for result in results]


@case(
    "S0",
    one="""
        import asyncio
        def _handle_status(raw_args: str) -> str:
            return "help or check" if raw_args.strip() == "help" else "all is well"
        async def _handle_check(raw_args: str) -> str:
            await asyncio.sleep(0)
            return f"checked {raw_args}"
        def register(ctx):
            ctx.register_command("mystatus", handler=_handle_status, description="How it is")
            ctx.register_command("check", handler=_handle_check, description="Look later")
            ctx.register_command("help", handler=_handle_status)
        """,
)
def slash_commands_can_be_plain_or_async(host):
    return [host._command(line) for line in ("/mystatus", "/mystatus help", "/check it", "/help")]


@case(
    "S0",
    files={
        "site/my_plugin_package.py": "def register(ctx): ctx.register_command('from-package', lambda raw_args: 'here')\n",
        "site/calculator-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: calculator\nVersion: 1.0\n",
        "site/calculator-1.0.dist-info/entry_points.txt": "[hermes_agent.plugins]\nmy-plugin = my_plugin_package\n",
    },
)
def a_package_plugin_must_be_enabled(host):
    return host._command("/from-package")


@case(
    "S0",
    one="""
        import json
        def a_dict(args, **kwargs): return {"result": 42}
        def no_kwargs(args): return json.dumps({"result": 42})
        def raises(args, **kwargs): return json.dumps({"result": 1 / int(args["value"])})
        def register(ctx):
            for handler in (a_dict, no_kwargs, raises):
                ctx.register_tool(handler.__name__, "mistakes", {"name": handler.__name__}, handler)
        """,
)
def common_mistakes_in_handlers_are_handled(host):
    return {name: host.call_tool(name, value=0).json for name in host.tools}


@case(
    "S0",
    one="""
        def recall_context(session_id, user_message, is_first_turn, **kwargs):
            return {"context": f"they like {user_message}"} if is_first_turn else None
        def inject_guardrails(**kwargs): return "be careful"
        def log_turn(session_id, user_message, model, is_first_turn, **kwargs): pass
        def fails(**kwargs): raise TimeoutError("no store")
        def register(ctx):
            for callback in (recall_context, inject_guardrails, log_turn, fails):
                ctx.register_hook("pre_llm_call", callback)
            ctx.register_hook("on_session_start", lambda session_id, **kwargs: None)
            ctx.register_hook("on_session_end", lambda session_id, completed, **kwargs: None)
        """,
)
def pre_llm_call_adds_context_before_a_turn(host):
    first = host.fire("pre_llm_call", user_message="tea", is_first_turn=True)
    return [first, host.fire("pre_llm_call", user_message="tea", is_first_turn=False)]


CRASHING = """
    import sys
    def work(args, **kwargs): return "done"
    def register(ctx):
        ctx.register_tool("early", "crash", {"name": "early"}, work)
        ctx.register_hook("on_session_start", lambda **kwargs: "early")
        ctx.register_command("early", lambda raw_args: "early")
        FAIL
"""


@case("S0", one=CRASHING.replace("FAIL", "raise ValueError('late')"))
def registrations_before_a_crash_are_rolled_back_in_some_releases(host):
    return [host.call_tool("early").text, host.fire("on_session_start"), host.commands]


@case("S0", one=CRASHING.replace("FAIL", "sys.exit('late')"), ends=HostExited)
def a_register_function_that_exits_ends_the_host(host):
    return host.tools


@case(
    "S0",
    one="def register(ctx): ctx.register_command('count', lambda a: str(COUNT))\nCOUNT = 1\n",
)
def a_rescan_does_not_register_again(host):
    module = host.home / "plugins" / "p" / "__init__.py"
    module.write_text(module.read_text().replace("COUNT = 1", "COUNT = 2222"))
    host.rescan()
    return host.command("/count")
