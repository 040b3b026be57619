"""Side-by-side measurement of lobrest and its peers on real services.

A run starts a service on fresh state behind a logging proxy, lets one tool work on it for a fixed time and
counts from the proxy's log. Nothing here trusts what a tool says about itself, and nothing here imports
lobrest: the program is used through its commands only.
"""
