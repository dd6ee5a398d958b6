"""The quality scale: rules in four tiers, compared with the claims of a project in ``quality.yaml``.

scale.py     defines the rules, and the project that they check
judge.py     reads ``quality.yaml``, decides the rules, compares the claims, and determines the tier
report.py    prints the result, and creates the badge
"""
