import logging


def log_end(reason="", **kwargs):
    logging.getLogger(__name__).info("the session ended: %s", reason)


def register(ctx):
    ctx.register_hook("on_session_finalize", log_end)


def test_end_of_session_is_logged(hermes):
    hermes.llm.script("Hello")
    hermes.chat("Hi")
    hermes.finish()
    assert "the session ended: shutdown" in [one.message for one in hermes.log]
