"""Cases of H13 to H20: gateway event hooks, and the examples of their guide."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from conformance.gateway_cases import gateway_case, hook, hook_files, list_events, write_messages

from hermes_sdk.llm import call, say

TOOL = "tool('ask', lambda args, **kw: json.dumps({'found': 1}))\n"
SYNC = "def handle(event_type, context): print('handled', event_type)\n"


@contextlib.contextmanager
def webhook_server(port):
    """Run a loopback server, write its port to a file and collect the posted bodies."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    port.write_text(str(server.server_port), encoding="utf-8")
    try:
        yield bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def start_and_stop(host):
    """Start and stop a gateway, and return its output and the called handlers."""
    gateway = host.gateway()
    gateway.stop()
    return gateway.printed, list_handlers(host)


def list_handlers(host):
    """Return the called handlers with their events."""
    return [[one["callback"], one["name"]] for one in host.events if one["kind"] == "gateway_hook"]


@gateway_case(
    "H13",
    files={
        **hook(["gateway:startup"], name="named", folder="zz"),
        **hook(["gateway:startup"], name="aa"),
        **hook(["gateway:startup"], name=".hidden"),
        "hooks/lower/hook.yaml": "name: lower\nevents: [gateway:startup]\n",
        "hooks/lower/handler.py": SYNC,
        "hooks/alone/handler.py": SYNC,
        "hooks/headless/HOOK.yaml": "name: headless\nevents: [gateway:startup]\n",
        "hooks/HOOK.yaml": "name: top\nevents: [gateway:startup]\n",
        "hooks/deep/inner/HOOK.yaml": "name: inner\nevents: [gateway:startup]\n",
        "hooks/deep/inner/handler.py": SYNC,
    },
)
def hook_directories_have_a_manifest_and_a_handler(host):
    return start_and_stop(host)


@gateway_case(
    "H14",
    files={
        **hook_files("a_list", "- a\n- b\n", SYNC),
        **hook_files("b_text", "text\n", SYNC),
        **hook_files("c_empty", "", SYNC),
        **hook_files("d_no_events", "name: quiet\n", SYNC),
        **hook_files("e_empty_events", "name: none\nevents: []\n", SYNC),
        **hook_files("f_no_name", "events: ['gateway:startup']\n", SYNC),
        **hook_files("g_no_handle", "name: handless\nevents: ['gateway:startup']\n", "x = 1\n"),
        **hook_files("h_bad_yaml", "name: [\n", SYNC),
        **hook_files("i_bad_code", "name: bad\nevents: ['gateway:startup']\n", "def handle(:\n"),
        **hook_files("j_raises", "name: raising\nevents: ['gateway:startup']\n", "raise ValueError('no')\n"),
        **hook_files("k_imports", "name: missing\nevents: ['gateway:startup']\n", "import not_there\n"),
        **hook_files("l_events_text", "name: text\nevents: 'agent:start'\n", SYNC),
        **hook_files("n_events_mapping", "name: mapping\nevents: {'gateway:startup': 1}\n", SYNC),
        **hook_files("o_no_function", "name: constant\nevents: ['gateway:startup']\n", "handle = 5\n"),
        **hook_files("p_number", "name: 5\nevents: ['gateway:startup', 'gateway:startup']\n", SYNC),
    },
)
def hooks_that_fail_to_load_are_printed(host):
    return start_and_stop(host)


@gateway_case(
    "H14",
    files={
        **hook_files("a_number", "name: number\nevents: 5\n", SYNC),
        **hook_files("b_list", "name: list\nevents: ['gateway:startup']\n", SYNC),
    },
)
def hook_events_must_be_a_list(host):
    try:
        return host.gateway().printed
    except Exception as error:
        return ["'int' object is not iterable" in str(error)]


@gateway_case(
    "H15",
    files={
        **hook_files(
            "sync",
            "name: sync-er\nevents: ['gateway:startup']\n",
            "import sys\ndef handle(event_type, context):\n    print(__name__, __name__ in sys.modules, event_type, sorted(context))\n    return 1\n",
        ),
        **hook_files(
            "later",
            "name: later\nevents: ['gateway:startup']\n",
            "import asyncio\nasync def handle(event_type, context):\n    await asyncio.sleep(0)\n    return __name__\n",
        ),
        **hook_files("lacking", "name: lacking\nevents: ['gateway:startup']\n", "def handle(event_type): pass\n"),
        **hook_files(
            "more",
            "name: more\nevents: ['gateway:startup']\n",
            "def handle(event_type, context, other=1): return other\n",
        ),
        **hook_files(
            "object",
            "name: object\nevents: ['gateway:startup']\n",
            "class H:\n    def __call__(self, e, c): return e\nhandle = H()\n",
        ),
        **hook_files(
            "writes", "name: writes\nevents: ['gateway:startup']\n", "def handle(e, c): c['platforms'].append('x')\n"
        ),
        **hook_files("zlast", "name: zlast\nevents: ['gateway:startup']\n", "def handle(e, c): return c\n"),
    },
)
def event_handlers_receive_the_event_and_its_context(host):
    gateway = host.gateway()
    gateway.stop()
    events = [one for one in list_events(host)["gateway"] if one[0] == "gateway_hook"]
    return gateway.printed, events


@gateway_case(
    "H16",
    "ctx.register_command('mine', lambda arguments: 'mine')\n",
    files={
        **hook(["command:*", "command:mine"], name="both"),
        **hook(["command"], name="base"),
        **hook(["*"], name="star"),
        **hook(["command:m*"], name="part"),
        **hook(["COMMAND:mine", "command:mine "], name="case"),
        **hook(["gateway:*"], name="gateway"),
        **hook(["command:mine"], name="exact"),
    },
)
def handlers_receive_matching_events(host):
    gateway = host.gateway()
    gateway.dm().receives("/mine")
    return list_handlers(host)


@gateway_case(
    "H17",
    "ctx.register_command('mine', lambda arguments: 'mine')\n",
    files={
        **hook_files(
            "a", "name: a\nevents: ['command:*', 'gateway:startup']\n", "def handle(e, c): raise ValueError(e)\n"
        ),
        **hook_files("b", "name: b\nevents: ['command:*']\n", "async def handle(e, c): raise KeyError(e)\n"),
        **hook(["command:*"], name="c"),
    },
)
def errors_of_handlers_are_printed(host):
    gateway = host.gateway()
    gateway.dm().receives("/mine")
    gateway.stop()
    return gateway.printed, list_events(host)


@gateway_case(
    "H18",
    TOOL,
    files=hook(["gateway:startup", "session:*", "agent:*", "command:*"]),
)
def events_have_contexts(host):
    long = "x" * 600
    host.llm.script(call("ask"), say("y" * 600), "in a group")
    gateway = host.gateway()
    chat = gateway.dm(name="One")
    chat.receives(long)
    chat.receives("/new")
    chat.receives("/approve")
    gateway.group("g1", user="u2", name="Two", thread="t1").receives("hello all")
    gateway.stop()
    return [[one[1], one[2]["context"]] for one in list_events(host)["gateway"] if one[0] == "gateway_hook"]


@gateway_case("H20", TOOL + "tool('fail', lambda args, **kw: 1 / 0)\n", files=hook(["agent:step"]))
def each_request_fires_one_step_event(host):
    host.llm.script(call("ask", n=1), say("", call("fail"), call("ask", n=2)), say("done"))
    host.gateway().dm().receives("hello")
    return [one[2]["context"] for one in list_events(host)["gateway"] if one[0] == "gateway_hook"]


@gateway_case(
    "H18",
    TOOL,
    files=hook_files(
        "long-task-alert",
        "name: long-task-alert\ndescription: Tell when a task takes many steps\nevents:\n  - agent:step\n",
        """
        import os
        async def handle(event_type, context):
            if context.get("iteration") == int(os.environ["LIMIT"]):
                tools = ", ".join(context.get("tool_names", []))
                print(f"{context['iteration']} steps, last: {tools}")
                return tools
        """,
    ),
    environment={"LIMIT": "3"},
)
def the_guide_s_long_task_alert_works(host):
    host.llm.script(call("ask"), call("ask"), call("ask"), say("done"))
    host.gateway().dm().receives("hello")
    return [one["returned"] for one in host.events if one["kind"] == "gateway_hook"]


@gateway_case(
    "H18",
    "ctx.register_command('mine', lambda arguments: 'mine')\n",
    files=hook_files(
        "command-logger",
        "name: command-logger\ndescription: Write down which commands are used\nevents:\n  - command:*\n",
        """
        import json, os
        from pathlib import Path
        LOG = Path(os.environ["HERMES_HOME"]) / "logs" / "used.jsonl"
        def handle(event_type, context):
            LOG.parent.mkdir(parents=True, exist_ok=True)
            entry = {key: context.get(key) for key in ("command", "args", "platform", "user_id")}
            with LOG.open("a") as file:
                file.write(json.dumps(entry) + "\\n")
        """,
    ),
)
def the_guide_s_command_log_works(host):
    chat = host.gateway().dm()
    for line in ("/mine a", "/whoami", "/nothing", "hello"):
        host.llm.script(*(["hi"] if line == "hello" else []))
        chat.receives(line)
    return (host.home / "logs" / "used.jsonl").read_text(encoding="utf-8")


@gateway_case(
    "H18",
    files=hook_files(
        "session-webhook",
        "name: session-webhook\ndescription: Tell another service of new sessions\nevents:\n  - session:start\n  - session:reset\n",
        """
        import asyncio, json
        from pathlib import Path
        from urllib.request import Request, urlopen
        PORT = Path(__file__).parent / "port"
        async def handle(event_type, context):
            body = json.dumps({"event": event_type, **context}).encode()
            request = Request(f"http://127.0.0.1:{PORT.read_text()}/", body, {"Content-Type": "application/json"})
            await asyncio.to_thread(lambda: urlopen(request, timeout=5).read())
        """,
    ),
)
def the_guide_s_session_webhook_works(host):
    with webhook_server(host.home / "hooks" / "session-webhook" / "port") as bodies:
        host.llm.script("one", "two")
        write_messages(host, "hello", "/new", "/approve", "again")
    return [{**body, **({"session_id": ""} if "session_id" in body else {})} for body in bodies]


@gateway_case(
    "H18",
    files=hook_files(
        "boot-md",
        "name: boot-md\ndescription: Let an agent run BOOT.md when the gateway starts\nevents:\n  - gateway:startup\n",
        """
        import logging, os, threading
        from pathlib import Path
        logger = logging.getLogger("hooks.boot-md")
        def work(text):
            try:
                from gateway.run import _resolve_gateway_model, _resolve_runtime_agent_kwargs
                from run_agent import AIAgent
                agent = AIAgent(
                    model=_resolve_gateway_model(), **_resolve_runtime_agent_kwargs(), platform="gateway",
                    quiet_mode=True, skip_context_files=True, skip_memory=True, enabled_toolsets=["set"],
                )
                logger.info("it said %s", agent.run_conversation(text).get("final_response"))
            except Exception as error:
                logger.info("there is no agent: %s", type(error).__name__)
        async def handle(event_type, context):
            text = (Path(os.environ["HERMES_HOME"]) / "BOOT.md").read_text()
            threading.Thread(target=work, args=(text,), daemon=True).start()
        """,
    )
    | {"BOOT.md": "Look whether all is well."},
    known="the embedded host lends event hooks no agent of their own",
)
def the_guide_s_boot_list_runs(host):
    host.llm.script("all is well")
    host.gateway()
    while not (told_ := [one.message for one in host.log if one.logger == "hooks.boot-md"]):
        threading.Event().wait(0.05)
    return told_
