def trim(tool_name, args, **kwargs):
    return {"args": {name: value.strip() if isinstance(value, str) else value for name, value in args.items()}}


def register(ctx):
    ctx.register_middleware("tool_request", trim)


def test_arguments_are_trimmed(hermes):
    assert hermes.call_tool("terminal", command="  echo oak ").json["output"].strip() == "oak"
