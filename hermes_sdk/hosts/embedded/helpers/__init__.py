"""Small functions and classes of Hermes that plugins import and the host itself does not use, grouped by subject.

Must not import other parts of the embedded host.
"""
