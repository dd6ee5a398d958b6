"""Output of `hermes-sdk --help` in 80 columns. `python docs` writes this file from the commands."""

HELP = """\
Usage: hermes-sdk [OPTIONS] COMMAND [ARGS]...

  Build, test and check plugins for Hermes Agent.

Options:
  --version   Show the version and exit.
  --quiet     Format terminal output as for a file: no colors, and tables of
              at most 100 columns.
  -h, --help  Show this message and exit.

Create:
  new       Create a plugin project from a template.
  add       Add a tool, hook, command, setting or other feature to a plugin,
            with a test.
  update    Update a project to the current template, as commits to review.
  skill     Teach coding agents hermes-sdk: install or remove a skill.

Test:
  call      Call a tool of a plugin, as the model does.
  fire      Fire a hook, and show what a plugin returns.
  chat      Talk to an agent that has a plugin, with a scripted model.
  record    Record a session of your Hermes in a file, to replay it.
  replay    Replay a recording, and report where it diverges.
  codegen   Print a test that repeats a recording.

Check:
  check     Find problems that break a plugin, and explain how to fix them.
  explain   Explain a check rule.
  compat    Run a plugin and its tests on every Hermes release.
  schema    Print the JSON Schema of plugin.yaml.

Debug:
  show      Load a plugin and print what it registers.
  dev       Inspect a plugin in a browser while you edit it.
  trace     Play a scenario and print the events that plugins see.
  view      Show a trace in a browser: who did what, and when.
  docs      Search the documentation, and print the section that answers a
            question.

Ship:
  verify    Decide whether a plugin can be shipped, and print the first thing
            to fix.
  submit    Prepare the entry of a plugin in the Hermes catalog, and check
            what admission checks.

Hermes:
  plugins   Install, update, remove, enable and disable plugins.
  hooks     List, test and diagnose the shell hooks in HERMES_HOME.
  hosts     List, install and remove the Hermes that plugins run on.
  contract  Show, compare or extract the plugin contracts of Hermes releases.

Exit codes:
  0         The command found no error.
  1         The plugin has an error, a test failed, or a comparison found a
            difference.
  2         The call or an input file is wrong.
  3         The machine lacks something, such as a tool, the network or a
            Hermes release."""
