"""Child processes for foreign code: their isolation from the machine, how they start, and how they answer.

Must not import anything else of `hosts` but `in_worker`. `isolation` is also run in the Python of an installed Hermes.
"""
