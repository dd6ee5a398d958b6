"""Plugin that records its calls, and functions to call its tools and read its notes."""

import json
from textwrap import dedent, indent

HEAD = """
    import json
    SEEN = []
    ANY = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}
    def shown(name, value):
        if callable(value): return "callable"
        # How long something takes is no behaviour; that it is told as an integer is.
        if name == "duration_ms": return type(value).__name__
        return json.loads(json.dumps(value, default=repr))
    def note(name, values): SEEN.append([name, {key: shown(key, value) for key, value in values.items()}])
    def echo(args, **kwargs): return json.dumps([args, kwargs], default=repr)
    def failed(function, *args, **kwargs):
        try: function(*args, **kwargs)
        except Exception as error: SEEN.append([type(error).__name__, str(error)])
    def register(ctx):
        ctx.register_command("seen", lambda arguments: json.dumps(SEEN))
        def tool(name, handler=echo, toolset="set", parameters=ANY, **more):
            schema = {"name": name, "description": f"About {name}", "parameters": parameters}
            ctx.register_tool(name, toolset, schema, handler, **more)
        def watch(*hooks):
            for hook in hooks: ctx.register_hook(hook, lambda hook=hook, **kwargs: note(hook, kwargs))
"""


def recorder(body: str) -> str:
    """Return the source of a plugin whose ``register`` runs this body; ``/seen`` returns its notes."""
    return dedent(HEAD) + indent(dedent(body), "    ")


def call_tools(host, *names, **arguments):
    """Call tools and return their results by name."""
    return {name: host.call_tool(name, arguments).value for name in names}


def read_notes(host):
    """Return the notes of the plugin."""
    return json.loads(host.command("/seen"))
