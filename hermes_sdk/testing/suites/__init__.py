"""Contract suites: test classes for authors to subclass, with one test for each rule of the host.

`rules` contains the rules. It is installed as a plugin and runs inside the host, so it needs only the standard library.
`contract` creates tests from them. Must not import `check`, `scaffold` or `cli`.
"""
