"""Signs requests as a server does, with openssl."""

import base64
import datetime
import hashlib
import json
import subprocess


def date(minutes=0):
    """A time relative to now, as written in a signature."""
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def signature(key, text):
    """The signature of a text by a key in a file, in base64."""
    done = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", str(key)], input=text.encode(),
        capture_output=True, check=True)
    return base64.b64encode(done.stdout).decode()


class Signer:
    """A server with a key of its own."""

    def __init__(self, service, key=None, key_id=None):
        self.key = key or service.premises.signing_key
        self.key_id = key_id or service.premises.key_id
        self.service = service
        self.client = service.client()
        self.client.api_token = None

    def headers(self, path, body, when=None, digest=None):
        when = when or date()
        if digest is None:
            digest = base64.b64encode(hashlib.sha256(body or b"").digest()).decode()
        signed = signature(self.key, f"{when}:{digest}:{path}")
        self.service.secrets.append(signed)
        return {
            "X-Apple-CloudKit-Request-KeyID": self.key_id,
            "X-Apple-CloudKit-Request-ISO8601Date": when,
            "X-Apple-CloudKit-Request-SignatureV1": signed,
        }

    def post(self, operation, body, scope="public", when=None):
        path = self.client.path(operation, scope)
        data = json.dumps(body).encode()
        return self.client.send("POST", path, data, self.headers(path, data, when))

    def get(self, operation, scope="public", digest=None):
        path = self.client.path(operation, scope)
        return self.client.send("GET", path, None, self.headers(path, None, digest=digest))
