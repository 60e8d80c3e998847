"""Looks for secrets in a text or in bytes, in the forms that something may have been written in."""

import base64
import re


def forms(secret):
    """A secret as it is, in hexadecimal, in UTF-16, and in Base64 behind any number of bytes.

    Each is a text; of a secret in bytes, and of all that was made of it, a letter is a byte.
    """
    raw = secret if isinstance(secret, bytes) else secret.encode()
    text = raw.decode("latin-1")
    found = {text, raw.hex(), raw.hex().upper(), "\0".join(text)}
    for before in range(3):
        # Characters that also hold bits of what stands around it say nothing of it.
        first = (0, 2, 3)[before]
        count = (before + len(raw)) * 8 // 6 - first
        text = base64.b64encode(bytes(before) + raw + bytes(2)).decode()[first:first + count]
        found |= {text, text.replace("+", "-").replace("/", "_")}
    return found


def leak(text, secrets):
    """Where in a text one of these secrets begins; None where none does."""
    for secret in secrets:
        for form in forms(secret):
            at = text.find(form)
            if at >= 0:
                return at
    return None


def pieces(token):
    """A token, and where it is bytes written as text: all of them, and the last sixteen.

    What stands first may be a name, which stores have; what stands last is secret in every token.
    """
    if re.fullmatch("[0-9a-f]{32,}", token):
        raw = bytes.fromhex(token)
    else:
        text = token.replace("-", "+").replace("_", "/").rstrip("=")
        raw = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    return [token, raw, raw[-16:]]
