"""Output formats of a matrix: text for a terminal, JSON, JUnit, an HTML page, a badge, jobs for CI.

compat.schema.json   the JSON Schema of ``hermes-sdk.compat/1``
page.html            the template of the HTML page
"""
