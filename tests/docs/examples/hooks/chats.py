import logging


def log_command(command, surface, **kwargs):
    logging.getLogger(__name__).info("/%s on %s", command, surface)


def register(ctx):
    ctx.register_hook("pre_command", log_command)


def test_commands_are_logged(hermes):
    hermes.fire("pre_command", command="help", surface="cli")
    assert "/help on cli" in [one.message for one in hermes.log]
