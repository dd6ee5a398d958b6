"""Contract suites: classes of tests that an author subclasses, with one test for each rule of the host.

`rules` holds the rules; it is put into the home as a plugin and runs inside the host, so it needs the standard library
only. `contract` makes tests of them. Must not import `check`, `scaffold` or `cli`.
"""
