"""Looks for secrets in a text, in the forms that something may have been written in."""

import base64


def forms(secret):
    """A secret as it is, in hexadecimal, in UTF-16, and in Base64 behind any number of bytes."""
    raw = secret.encode()
    found = {secret, raw.hex(), raw.hex().upper(), "\0".join(secret)}
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
