"""A plain client of the service, over one connection with TLS."""

import base64
import http.client
import json
import os
import time
import urllib.parse

from .premises import CONTAINER

ZONE = {"zoneName": "notes"}


class Answer:
    """An answer of the service."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of an error of the whole request, or of the first record or zone with one."""
        found = self.json
        if "serverErrorCode" in found:
            return found["serverErrorCode"]
        for item in found.get("records", []) + found.get("zones", []):
            if "serverErrorCode" in item:
                return item["serverErrorCode"]
        return None

    def __repr__(self):
        return f"{self.status} {self.body[:600]!r}"


class Client:
    """A client that reconnects if its connection was closed."""

    def __init__(self, service, environment="development", api_token=None):
        self.service, self.environment = service, environment
        self.api_token = api_token or service.premises.api_tokens[environment]
        self.token = None
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def path(self, operation, scope="private"):
        return f"/database/1/{CONTAINER}/{self.environment}/{scope}/{operation}"

    def target(self, operation, scope="private"):
        query = {}
        if self.api_token:
            query["ckAPIToken"] = self.api_token
        if self.token:
            query["ckWebAuthToken"] = self.token
        return self.path(operation, scope) + "?" + urllib.parse.urlencode(query)

    def send(self, method, target, body=None, headers=None):
        """Sends a request, and repeats it once if a kept connection was closed meanwhile."""
        for attempt in (1, 2):
            is_kept = self.connection is not None
            if not is_kept:
                self.connection = http.client.HTTPSConnection(
                    "localhost", self.service.port, timeout=120, context=self.service.context())
            try:
                self.connection.request(method, target, body, headers or {})
                answer = self.connection.getresponse()
                return Answer(answer.status, answer.headers, answer.read())
            except (ConnectionError, http.client.HTTPException, OSError):
                self.close()
                if attempt == 2 or not is_kept:
                    raise
        return None

    def call(self, operation, body=None, scope="private", headers=None):
        """Calls an operation of the web service."""
        data = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        return self.send(
            "POST", self.target(operation, scope), data,
            {"Content-Type": "text/plain", **(headers or {})})

    def sign_in(self, name, password):
        answer = self.send(
            "POST", f"/sign-in/{CONTAINER}/{self.environment}",
            json.dumps({"accountName": name, "password": password}).encode())
        if answer.status != 200:
            raise AssertionError(f"{name} cannot sign in: {answer}")
        return answer.json["ckWebAuthToken"]

    # Frequent requests of tests.

    def make_zone(self, name=ZONE["zoneName"]):
        answer = self.call("zones/modify", {
            "operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}]})
        if answer.status != 200 or answer.code:
            raise AssertionError(f"no zone: {answer}")
        return {"zoneName": name}

    def modify(self, operations, zone=None, scope="private", **more):
        body = {"operations": operations, **more}
        if zone:
            body["zoneID"] = zone
        return self.call("records/modify", body, scope)

    def create(self, name, fields, kind="Note", zone=None, scope="private", **more):
        return self.modify([operation("create", name, fields, kind)], zone, scope, **more)

    def look_up(self, names, zone=None, scope="private", **more):
        body = {"records": [{"recordName": name} for name in names], **more}
        if zone:
            body["zoneID"] = zone
        return self.call("records/lookup", body, scope)

    def titles_of(self, names, zone=None):
        """The titles of those of these records that exist."""
        return {
            record["recordName"]: record["fields"]["title"]["value"]
            for record in self._records(names, zone, ["title"])}

    def names_of(self, names, zone=None):
        """The names of those of these records that exist."""
        return {record["recordName"] for record in self._records(names, zone, [])}

    def _records(self, names, zone, fields):
        """The names of those that exist, of so many records that the service may ask to wait."""
        names = list(names)
        for begin in range(0, len(names), 200):
            answer = self.look_up(names[begin:begin + 200], zone, desiredKeys=fields)
            while answer.code == "THROTTLED":
                time.sleep(answer.json["retryAfter"])
                answer = self.look_up(names[begin:begin + 200], zone, desiredKeys=fields)
            if "records" not in answer.json:
                raise AssertionError(f"no records: {answer}")
            for record in answer.json["records"]:
                if "serverErrorCode" not in record:
                    yield record


def operation(kind, name, fields=None, record_type="Note", **more):
    """One operation of records/modify."""
    record = {"recordName": name, **more}
    if record_type:
        record["recordType"] = record_type
    if fields is not None:
        record["fields"] = fields
    return {"operationType": kind, "record": record}


def sealed(value, kind):
    """A field to be encrypted."""
    return {"value": value, "type": kind, "isEncrypted": True}


def plain(value, kind=None):
    """A field not to be encrypted."""
    return {"value": value, "type": kind} if kind else {"value": value}


def bytes_text(count):
    """This many random bytes, as written on the wire."""
    return base64.b64encode(os.urandom(count)).decode()
