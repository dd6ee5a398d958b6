def ignore_asides(event, **kwargs):
    if event.text.startswith("(aside)"):
        return {"action": "skip", "reason": "not for the agent"}


def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", ignore_asides)


def test_asides_get_no_answer(hermes_gateway):
    assert hermes_gateway.dm("ada").receives("(aside) lunch?") == []
