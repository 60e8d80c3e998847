"""curl, over TLS, with the request that Apple's page shows."""

import json
import pathlib
import unittest

from support.premises import run
from support.service import shared

FIXTURES = pathlib.Path(__file__).parent / "fixtures"


class CurlTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = shared()
        cls.client = cls.service.client("alice")
        cls.client.make_zone("myZone")

    def curl(self, *words):
        """Status and JSON of the answer that curl gets."""
        text = run(
            "curl", "--silent", "--cacert", self.service.certificate, "--write-out",
            "\n%{http_code}", *words)
        body, _, status = text.rpartition("\n")
        return int(status), json.loads(body)

    def address(self, operation):
        return f"https://localhost:{self.service.port}{self.client.target(operation)}"

    def test_request_as_printed_is_refused_with_the_place(self):
        fixture = FIXTURES / "as-printed.json"
        status, answer = self.curl(
            "--data-binary", f"@{fixture}", self.address("records/modify"))
        self.assertEqual((status, answer["serverErrorCode"]), (400, "BAD_REQUEST"))
        # The missing comma belongs before the record's name.
        place = fixture.read_bytes().index(b'"recordName"')
        self.assertIn(str(place), answer["reason"])
        self.assertIn("uuid", answer)

    def test_request_corrected_is_saved_and_echoed(self):
        status, answer = self.curl(
            "--data-binary", f"@{FIXTURES / 'corrected.json'}", self.address("records/modify"))
        self.assertEqual(status, 200)
        record = answer["records"][0]
        self.assertEqual(record["recordName"], "recordWithEncryptedFields")
        self.assertEqual(record["fields"], {
            "myDoubleField": {"value": 0.55, "type": "DOUBLE", "isEncrypted": True},
            "myIntListField": {
                "value": [123, 456, 789], "type": "INT64_LIST", "isEncrypted": True},
        })
        found = self.client.look_up(["recordWithEncryptedFields"], {"zoneName": "myZone"})
        self.assertEqual(found.json["records"][0]["fields"], record["fields"])

    def test_lists_are_asked_by_either_method(self):
        for words in ([], ["--data", "{}"], ["--request", "POST"]):
            for operation in ("zones/list", "users/current", "users/caller"):
                status, answer = self.curl(*words, self.address(operation))
                self.assertEqual(status, 200, answer)

    def test_sign_in_by_form(self):
        password = self.service.secrets[0]
        status, answer = self.curl(
            "--data-urlencode", "accountName=alice", "--data-urlencode", f"password={password}",
            f"https://localhost:{self.service.port}/sign-in/iCloud.org.example.notes/development")
        self.assertEqual(status, 200)
        self.service.secrets.append(answer["ckWebAuthToken"])
