"""Generation of plugin projects from the templates in ``templates/``, rendered by cookiecutter.

Every project carries a ``.hermes-sdk.toml`` that records its template. The template itself writes it, so it exists even
if cookiecutter was used without hermes-sdk::

    template = "plugin"          # a name in the menu, `template.templates()`
    version = "0.1.0"            # the hermes-sdk whose template it was

    [answers]                    # every variable of the template's cookiecutter.json that does not start with "_",
    plugin_name = "Team Notes"   # in its order, and all of them text
    plugin_slug = "team-notes"

`template.render(template, answers, directory)` generates the same files again.

Must not import `check`, `testing` or `cli`.
"""
