def register(ctx):
    ctx.register_command("roll", lambda text: f"You roll {text or 6}.", args_hint="<sides>")


def test_roll(hermes):
    assert hermes.command("/roll 4") == "You roll 4."
