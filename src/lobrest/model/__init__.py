"""The domain: frozen values on the standard library alone."""
