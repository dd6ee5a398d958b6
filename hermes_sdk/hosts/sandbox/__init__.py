"""Child processes for foreign code, their isolation from the machine, and forks of this process.

Must not import anything else of `hosts` but `in_worker`.
"""
