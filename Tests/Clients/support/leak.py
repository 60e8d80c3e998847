"""Searches texts or bytes for secrets in every form in which they can be written."""

import base64
import re


def forms(secret):
    """A secret as it is, in hexadecimal, in UTF-16, and in Base64 after any number of bytes.

    Each form is a text, in which each letter stands for one byte.
    """
    raw = secret if isinstance(secret, bytes) else secret.encode()
    text = raw.decode("latin-1")
    found = {text, raw.hex(), raw.hex().upper(), "\0".join(text)}
    for before in range(3):
        # Leave out characters that also contain bits of the neighbouring bytes.
        first = (0, 2, 3)[before]
        count = (before + len(raw)) * 8 // 6 - first
        text = base64.b64encode(bytes(before) + raw + bytes(2)).decode()[first:first + count]
        found |= {text, text.replace("+", "-").replace("/", "_")}
    return found


def leak(text, secrets):
    """The place in a text where one of these secrets begins; None if there is none."""
    for secret in secrets:
        for form in forms(secret):
            at = text.find(form)
            if at >= 0:
                return at
    return None


def pieces(token):
    """A token, the bytes that it writes as text, and the last sixteen of them.

    The first bytes can be a name, which stores contain; the last are secret in every token.
    """
    if re.fullmatch("[0-9a-f]{32,}", token):
        raw = bytes.fromhex(token)
    else:
        text = token.replace("-", "+").replace("_", "/").rstrip("=")
        raw = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    return [token, raw, raw[-16:]]
