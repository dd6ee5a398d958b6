NUMBER = {"type": "integer"}
SCHEMA = {
    "name": "add",
    "description": "Add two numbers.",
    "parameters": {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}},
}


def register(ctx):
    ctx.register_tool("add", "maths", SCHEMA, lambda args, **kwargs: str(args["a"] + args["b"]))


def test_add(hermes):
    assert hermes.call_tool("add", a=1, b="2").text == "3"
