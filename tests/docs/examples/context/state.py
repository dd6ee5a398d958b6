def register(ctx):
    def count(text):
        ctx.state.set("count", ctx.state.get("count", 0) + 1)
        return str(ctx.state.get("count"))

    ctx.register_command("count", count)


def test_count(hermes):
    assert [hermes.command("/count"), hermes.command("/count")] == ["1", "2"]
