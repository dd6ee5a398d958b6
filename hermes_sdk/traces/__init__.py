"""Scenarios and traces: play a scenario on a host, write down what plugins saw, and compare two runs.

Must not import `testing`, `check`, `scaffold`, `operate`, `compat` or `cli`.
"""
