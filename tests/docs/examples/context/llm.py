def register(ctx):
    def summarise(text):
        return ctx.llm.complete([{"role": "user", "content": f"Summarise: {text}"}], purpose="summary").text

    ctx.register_command("summary", summarise)


def test_summary(hermes):
    hermes.llm.aux.script("Short.")
    assert hermes.command("/summary a long text") == "Short."
