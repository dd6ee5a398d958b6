#!/bin/sh
set -eu
hermes-sdk new shell-hook --no-input --name "Push Guard"
