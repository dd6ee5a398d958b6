import json


def register(ctx):
    def run(text):
        return json.loads(ctx.dispatch_tool("terminal", {"command": text}))["output"].strip()

    ctx.register_command("run", run)


def test_run(hermes):
    assert hermes.command("/run echo oak") == "oak"
