#!/bin/sh
set -eu
hermes-sdk new plugin --no-input --name "Team Notes" --extra distribution=directory
echo 'author: "The team"' >> team-notes/team_notes/plugin.yaml
