import logging


def log_end(final_text, finished, **kwargs):
    logging.getLogger(__name__).info("%d characters, finished: %s", len(final_text), finished)


def register(ctx):
    ctx.register_hook("on_stream_end", log_end)


def test_end_is_logged(hermes):
    hermes.fire("on_stream_end", final_text="Hello", finished=True)
    assert "5 characters, finished: True" in [one.message for one in hermes.log]
