"""Connections to the server, and errors of the client library as ours."""
