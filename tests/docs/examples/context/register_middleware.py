def trim(tool_name, args, **kwargs):
    if tool_name == "terminal":
        return {"args": {**args, "command": args["command"].strip()}}


def register(ctx):
    ctx.register_middleware("tool_request", trim)


def test_command_is_trimmed(hermes):
    assert hermes.call_tool("terminal", command="  echo oak ").json["output"].strip() == "oak"
