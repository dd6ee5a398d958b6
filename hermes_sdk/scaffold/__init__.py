"""Generation of plugin projects from the templates in ``templates/``, rendered by cookiecutter.

Every project carries a ``.hermes-sdk.toml`` that records its template. The template itself writes it, so it exists even
if cookiecutter was used without hermes-sdk::

    template = "plugin"          # a name in the menu, `template.templates()`
    version = "0.1.0"            # the version of hermes-sdk with that template

    [answers]                    # all variables of the template's cookiecutter.json that do not start with "_",
    plugin_name = "Team Notes"   # in the same order, with strings as values
    plugin_slug = "team-notes"

`template.render(template, answers, directory)` generates the same files again.

Must not import `check`, `testing` or `cli`.
"""
