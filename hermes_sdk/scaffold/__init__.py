"""Makes plugin projects from the templates in ``templates/``, with cookiecutter as the engine.

Every project carries a ``.hermes-sdk.toml`` that says what it was made from. The template writes it, so it is there too
when cookiecutter was used without hermes-sdk::

    template = "plugin"          # a name in the menu, `template.templates()`
    version = "0.1.0"            # the hermes-sdk whose template it was

    [answers]                    # every variable of the template's cookiecutter.json that does not start with "_",
    plugin_name = "Team Notes"   # in its order, and all of them text
    plugin_slug = "team-notes"

`template.render(template, answers, directory)` makes the same files again.

Must not import `check`, `testing` or `cli`.
"""
