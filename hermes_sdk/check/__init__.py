"""The validator: finds what would break a plugin, and says where, why and how to fix it.

`engine` checks a plugin: `static` runs the rules that read files (`plugin`, `source`), `runtime` and `wheel` those that
run its code in a child process. `rules` defines the rules, `options` reads the settings, `suppress` and `baseline` drop
suppressed and known findings, `repair` and `fixes` apply repairs, and `report` formats the result. The static part
needs only the standard library and the YAML libraries. Must not import `testing`, `scaffold` or `cli`.
"""
