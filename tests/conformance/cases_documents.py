"""Cases of the public documents: their examples, with the same names, signatures and shapes.

Each of them runs on the newest release on both hosts, as every case does, and on the profile ``documented``, where
`test_documents` says what the documents promise. S1 is the page about plugins, S2 the page about adding tools, S4 the
page about event hooks; the guide to building a plugin, S0, is in `cases_guide`.
"""

import json

from conformance.case import case, plugin

HELLO_WORLD = {
    "plugin.yaml": 'name: hello-world\nversion: "1.0"\ndescription: The smallest example\n',
    "__init__.py": """
import json

def register(ctx):
    schema = {
        "name": "hello_world",
        "description": "Greets somebody.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "Whom"}},
            "required": ["name"],
        },
    }

    def handle_hello(params, **kwargs):
        return json.dumps({"success": True, "greeting": f"Hello, {params.get('name', 'World')}!"})

    ctx.register_tool(
        name="hello_world", toolset="hello_world", schema=schema, handler=handle_hello, description="Greet."
    )

    def on_tool_call(tool_name, params, result):
        print(tool_name)

    ctx.register_hook("post_tool_call", on_tool_call)
    ctx.register_command("greet", lambda raw_args: ctx.dispatch_tool("hello_world", {"name": raw_args}), "Greet")
    ctx.register_command("arrived", lambda raw_args: str(ctx.inject_message("new data", role="user")))
""",
}


@case("S1", plugins={"hello-world": HELLO_WORLD}, enable=["hello-world"])
def hello_world(host):
    return [host.call_tool("hello_world", name="Ada").json, host.call_tool("hello_world").json]


@case("S1", plugins={"hello-world": HELLO_WORLD}, enable=["hello-world"])
def commands_dispatch_tools_and_inject_messages(host):
    return [json.loads(host.command("/greet Ada")), host.command("/arrived")]


@case(
    "S1",
    plugins={"p": plugin(name="my-tool-plugin"), "q": plugin(name="noisy-plugin"), "r": plugin(name="third")},
    config={"plugins": {"enabled": ["my-tool-plugin", "noisy-plugin"], "disabled": ["noisy-plugin"]}},
)
def plugins_load_when_enabled_and_not_disabled(host): ...


@case(
    "S1",
    plugins={"p": plugin(name="old"), "q": plugin(name="noisy")},
    config={"_config_version": 20, "plugins": {"disabled": ["noisy"]}},
)
def plugins_of_a_home_from_before_opt_in_are_not_loaded(host): ...


WEATHER = """
    import json, os
    def check_weather_requirements() -> bool:
        return bool(os.getenv("WEATHER_API_KEY"))
    def weather_tool(location: str, units: str = "metric", task_id: str = "") -> str:
        return json.dumps({"location": location, "units": units, "task_id": task_id})
    async def weather_tool_async(location: str) -> str:
        return weather_tool(location)
    PARAMETERS = {
        "type": "object",
        "properties": {
            "location": {"type": "string"},
            "units": {"type": "string", "enum": ["metric", "imperial"], "default": "metric"},
        },
        "required": ["location"],
    }
    def register(ctx):
        handlers = {
            "weather": lambda args, **kw: weather_tool(args.get("location", ""), args.get("units", "metric")),
            "weather_later": lambda args, **kw: weather_tool_async(args.get("location", "")),
            "weather_of_task": lambda args, **kw: weather_tool(args.get("location", ""), task_id=kw.get("task_id")),
        }
        for name, handler in handlers.items():
            ctx.register_tool(
                name=name, toolset="weather", schema={"name": name, "parameters": PARAMETERS}, handler=handler,
                check_fn=check_weather_requirements, requires_env=["WEATHER_API_KEY"], is_async=name == "weather_later",
            )
"""


def _weather(host):
    offered = [one["function"]["name"] for one in host.definitions()]
    return {"offered": offered, "called": [host.call_tool(name, location="London").json for name in host.tools]}


@case("S2", one=WEATHER, environment={"WEATHER_API_KEY": "1"})
def the_weather_tool_is_offered_with_its_key(host):
    return _weather(host)


@case("S2", one=WEATHER)
def the_weather_tool_is_not_offered_without_its_key(host):
    return _weather(host)


@case(
    "S4",
    one="""
        def block(tool_name, args, task_id, **kwargs):
            if tool_name == "terminal_like": return {"action": "block", "message": "too dangerous"}
        def audit(tool_name, args, task_id, **kwargs): AUDITED.append([tool_name, args])
        AUDITED = []
        def register(ctx):
            PARAMETERS = {"type": "object", "properties": {"n": {"type": "integer"}}}
            for name in ("terminal_like", "harmless"):
                ctx.register_tool(name, "s4", {"name": name, "parameters": PARAMETERS}, lambda args, **kw: str(args))
            ctx.register_hook("pre_tool_call", block)
            ctx.register_hook("pre_tool_call", audit)
            ctx.register_command("audited", lambda raw_args: str(AUDITED))
        """,
)
def callbacks_run_after_the_first_block(host):
    called = [host.call_tool(name, n="1").text for name in ("terminal_like", "harmless")]
    return [called, host.command("/audited")]


@case(
    "S4",
    one="def redact(tool_name, arguments, result, task_id, **kwargs): return result.replace('secret', '***')\n"
    "def register(ctx):\n"
    "    ctx.register_tool('t', 's4', {'name': 't'}, lambda args, **kwargs: 'a secret')\n"
    "    ctx.register_hook('transform_tool_result', redact)\n",
)
def a_hook_redacts_a_result(host):
    return host.call_tool("t").text
