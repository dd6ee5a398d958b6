SCHEMA = {
    "name": "spaced_tool",
    "description": "Say which version runs.",
    "parameters": {"type": "object", "properties": {}},
}


def answer(args, **kwargs):
    return '{"version": "1.0.0"}'


def register(ctx):
    ctx.register_tool(name="spaced_tool", toolset="nix", schema=SCHEMA, handler=answer)
