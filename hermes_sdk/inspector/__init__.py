"""`hermes-sdk dev`: a web page that shows a plugin while its author edits it. Needs the extra ``inspector``.

`workbench` loads and reloads the plugin; `access` authorises requests, `pages` answers them, `copies` writes tests and
commands to paste, and `server` watches files and combines the parts. All content comes from the public interface of
`hosts` and from `check`. Must not import `cli`, `operate` or `compat`.
"""
