def register(ctx):
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    ctx.register_tool("note", "noter", {"name": "note", "parameters": parameters}, lambda args, **kwargs: "noted")
    ctx.register_hook("post_tool_call", lambda **kwargs: None)
