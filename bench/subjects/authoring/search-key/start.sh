#!/bin/sh
set -eu
hermes-sdk new web-search-provider --no-input --name "House Search"
