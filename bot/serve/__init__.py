"""The service at work: updates come in, lanes do the work, messages go out."""
