SCHEMA = {
    "name": "alpha_tool",
    "description": "Say which version runs.",
    "parameters": {"type": "object", "properties": {}},
}


def answer(args, **kwargs):
    return '{"version": "2.0.0"}'


def register(ctx):
    ctx.register_tool(name="alpha_tool", toolset="nix", schema=SCHEMA, handler=answer)
