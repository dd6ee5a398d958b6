import json


def register(ctx):
    def run(text):
        return json.loads(ctx.dispatch_tool("terminal", {"command": text}))["output"].strip()

    ctx.register_command("run", run)


def test_run_uses_the_terminal_tool(hermes):
    assert hermes.command("/run echo oak") == "oak"
