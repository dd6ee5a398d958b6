def guard(tool_name, args, **kwargs):
    if tool_name == "terminal" and "rm -rf" in args.get("command", ""):
        return {"action": "block", "message": "Delete single files instead."}


def register(ctx):
    ctx.register_hook("pre_tool_call", guard)


def test_guard_blocks_rm(hermes):
    result = hermes.call_tool("terminal", command="rm -rf build")
    assert result.error == "Delete single files instead."
