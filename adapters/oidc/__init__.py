"""Sign-in by OpenID Connect: the provider that is asked, and the tokens that it signs."""
