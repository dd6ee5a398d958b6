"""`hermes-sdk dev`: a page that shows a plugin while its author edits it. Needs the extra ``inspector``.

`workbench` keeps the plugin loaded and loads it anew, `changes` says when; `access` decides who may ask, `pages`
answers, `copies` writes what an author can paste, and `server` puts them together. Everything that is shown comes from
the public interface of `hosts` and from `check`. Must not import `cli`, `operate` or `compat`.
"""
