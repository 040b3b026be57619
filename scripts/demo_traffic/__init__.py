"""A company at work on the demo service, in virtual time."""
