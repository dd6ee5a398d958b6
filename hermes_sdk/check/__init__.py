"""The validator: finds what would break a plugin, and says where, why and how to fix it.

`engine` checks a plugin: `static` runs the rules that read files (`plugin`, `source`), `runtime` and `wheel` those that
run its code in a child process. `rules` holds them, `suppress`, `settings` and `baseline` what authors put aside,
`repair` and `fix` what is repaired, and `report` prints the answer. The static part needs the standard library and
the YAML libraries only. Must not import `testing`, `scaffold` or `cli`.
"""
