"""Small functions and classes of Hermes that plugins import and the host itself does not use, grouped by subject.

May import `state` and the layers below it, but no other part of the embedded host.
"""
