"""Approval: the calls that a person has to approve, and how a user of a chat is asked."""
