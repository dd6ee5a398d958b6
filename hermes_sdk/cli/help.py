"""Output of `hermes-sdk --help` in 80 columns. `python docs` writes this file from the commands."""

HELP = """\
Usage: hermes-sdk [OPTIONS] COMMAND [ARGS]...

  Build, test and check plugins for Hermes Agent.

Options:
  --version   Show the version and exit.
  --quiet     Print to a terminal what a file gets: no colors, and tables of
              at most 100 columns.
  -h, --help  Show this message and exit.

Commands:
  add       Add a tool, hook, command, setting or other feature to a plugin,
            with a test.
  call      Call a tool of a plugin, as the model does.
  chat      Talk to an agent that has a plugin, with a scripted model.
  check     Find problems that break a plugin, and explain how to fix them.
  codegen   Print a test that does what a recording did.
  compat    Run a plugin and its tests on every Hermes release.
  contract  Show, compare or extract the plugin contracts of Hermes releases.
  dev       Inspect a plugin in a browser while you edit it.
  docs      Search the documentation, and print the section that answers a
            question.
  explain   Explain a check rule.
  fire      Fire a hook, and show what a plugin returns.
  hooks     List, test and diagnose the shell hooks in HERMES_HOME.
  hosts     List, install and remove the Hermes that plugins run on.
  new       Create a plugin project from a template.
  plugins   Install, update, remove, enable and disable plugins.
  record    Record a session of your Hermes in a file that replays it.
  replay    Replay a recording, and say where it diverges.
  schema    Print the JSON Schema of plugin.yaml.
  show      Load a plugin and print what it registers.
  skill     Teach coding agents hermes-sdk: install or remove a skill.
  submit    Prepare the entry of a plugin in the Hermes catalog, and check
            what admission checks.
  trace     Play a scenario and print the events that plugins see.
  update    Update a project to the current template, as commits to review.
  verify    Decide whether a plugin can be shipped, and print the first thing
            to fix.
  view      Show a trace in a browser: who did what, and when."""
