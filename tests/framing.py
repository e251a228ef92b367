"""Messages of the language server's protocol as they are sent."""

import json


def headed(body):
    """Bytes below the header that tells how many they are."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def framed(message):
    """A message, given without its version of JSON-RPC."""
    return headed(json.dumps({"jsonrpc": "2.0", **message}).encode())
