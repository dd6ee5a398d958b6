def add_names(prompt, **kwargs):
    return {"prompt": f"{prompt or ''} Names: Ada, Grace".strip()}


def register(ctx):
    ctx.register_hook("pre_transcription", add_names)


def test_prompt_has_the_names(hermes):
    assert hermes.fire("pre_transcription", prompt=None) == [{"prompt": "Names: Ada, Grace"}]
