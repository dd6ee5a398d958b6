"""The compatibility matrix: one plugin, or many, against every modelled release of Hermes, and others on real hosts.

    cells.py        what there is to run: a host, a release and a Python each
    outcomes.py     what came out of a cell, and what follows for the plugin
    apis.py         what of a release a plugin uses in vain
    cell.py         one cell, in a process of its own: load the plugin, run its tests
    runner.py       the process that has all of it imported and forks for each cell
    pool.py         some runners at a time
    matrix.py       from plugins and cells to matrices
    floor.py        the range of releases that is true, and how it gets into the manifest
    report/         JSON, JUnit, HTML, the badge

Must not import `cli` or `operate`.
"""
