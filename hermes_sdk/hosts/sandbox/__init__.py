"""Child processes for foreign code: their isolation, forks of this process, and the network guard.

Must not import anything else of `hosts` but `in_worker`.
"""
