import logging


def log_choice(command, choice, **kwargs):
    logging.getLogger(__name__).info("%s: %s", choice, command)


def register(ctx):
    ctx.register_hook("post_approval_response", log_choice)


def test_choices_are_logged(hermes):
    hermes.fire("post_approval_response", command="rm notes", choice="deny")
    assert "deny: rm notes" in [one.message for one in hermes.log]
