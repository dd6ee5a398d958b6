"""The quality scale: rules in four tiers, what a project claims of them in ``quality.yaml``, and what is true.

scale.py     the rules: what each asks for, and how a project shows it
claims.py    reads ``quality.yaml``, with the place of each claim
project.py   the project that the rules look at
judge.py     decides the rules, compares the claims, and finds the tier
report.py    prints it, and makes the badge
"""
