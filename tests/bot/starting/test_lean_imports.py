"""What is left out of an import changes nothing of what the library does."""

import subprocess
import sys

_LOADED = """
import ssl
from bot.lean_imports import import_aiohttp

read = ssl.SSLContext.set_default_verify_paths
import_aiohttp()
assert ssl.SSLContext.set_default_verify_paths is read
from aiohttp import connector

usual = ssl.create_default_context()
verifying, other = connector._SSL_CONTEXT_VERIFIED, connector._SSL_CONTEXT_UNVERIFIED
assert verifying.verify_mode is ssl.CERT_REQUIRED and verifying.check_hostname
assert verifying.cert_store_stats() == usual.cert_store_stats()
assert other.verify_mode is ssl.CERT_NONE
assert other.cert_store_stats()["x509"] == 0
"""


def test_the_context_that_verifies_has_read_the_certificates_and_the_other_has_not() -> None:
    subprocess.run([sys.executable, "-c", _LOADED], check=True)
