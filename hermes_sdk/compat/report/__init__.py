"""The forms that a matrix takes: text for a terminal, JSON, JUnit, a page of HTML, a badge, the jobs of a CI.

compat.schema.json   the JSON Schema of ``hermes-sdk.compat/1``
page.html            the template of the page
"""
