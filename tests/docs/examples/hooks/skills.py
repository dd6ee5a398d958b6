import logging


def log_skill(action, skill_name, **kwargs):
    logging.getLogger(__name__).info("skill %s: %s", skill_name, action)


def register(ctx):
    ctx.register_hook("on_skill_lifecycle", log_skill)


def test_loaded_skills_are_logged(hermes):
    hermes.fire("on_skill_lifecycle", action="loaded", skill_name="notes")
    assert "skill notes: loaded" in [one.message for one in hermes.log]
