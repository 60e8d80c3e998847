"""Servers that sign their requests: requests-cloudkit, and a signer of our own."""

import json
import os
import sys
import unittest

from support.client import operation
from support.premises import is_demanded, make_signing_key
from support.service import shared
from support.signer import Signer, date

REQUESTS_CLOUDKIT = os.environ.get("BULLA_REQUESTS_CLOUDKIT", "")


def save(name):
    """The body of a request that saves one record."""
    return {"operations": [operation("forceReplace", name, {"title": {"value": "canary"}})]}


class SignedTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = shared()
        cls.signer = Signer(cls.service)

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["serverErrorCode"]), (status, code), answer)
        self.assertIn("uuid", answer.json)

    def test_writes_and_reads(self):
        answer = self.signer.post("records/modify", save("signed"))
        self.assertEqual((answer.status, answer.code), (200, None), answer)
        found = self.signer.post(
            "records/lookup", {"records": [{"recordName": "signed"}]}).json["records"][0]
        self.assertEqual(found["fields"]["title"]["value"], "canary")

    def test_no_body_in_both_ways(self):
        for digest in (None, ""):
            answer = self.signer.get("zones/list", digest=digest)
            self.assertEqual(answer.status, 200, answer)

    def test_dates_that_are_not_now(self):
        for minutes in (-11, 2):
            answer = self.signer.post("records/modify", save("late"), when=date(minutes))
            self.refused(answer, 401, "AUTHENTICATION_FAILED")
        for minutes in (-9, 0.5):
            answer = self.signer.post("records/modify", save("late"), when=date(minutes))
            self.assertEqual(answer.status, 200, answer)
        fraction = date().replace("Z", ".123Z")
        answer = self.signer.post("records/modify", save("late"), when=fraction)
        self.refused(answer, 401, "AUTHENTICATION_FAILED")

    def test_wrong_key(self):
        key = self.service.folder / "other.pem"
        make_signing_key(key, self.service.folder / "other-public.pem")
        answer = Signer(self.service, key).post("records/modify", save("forged"))
        self.refused(answer, 401, "AUTHENTICATION_FAILED")
        answer = Signer(self.service, key_id="0" * 64).post("records/modify", save("forged"))
        self.refused(answer, 401, "AUTHENTICATION_FAILED")

    def test_changed_body_and_other_path(self):
        path = self.signer.client.path("records/modify", "public")
        headers = self.signer.headers(path, json.dumps(save("one")).encode())
        answer = self.signer.client.send("POST", path, json.dumps(save("two")).encode(), headers)
        self.refused(answer, 401, "AUTHENTICATION_FAILED")
        other = self.signer.client.path("records/lookup", "public")
        answer = self.signer.client.send("POST", other, json.dumps(save("one")).encode(), headers)
        self.refused(answer, 401, "AUTHENTICATION_FAILED")

    def test_repeated_write(self):
        path = self.signer.client.path("records/modify", "public")
        body = json.dumps(save("repeated")).encode()
        headers = self.signer.headers(path, body)
        self.assertEqual(self.signer.client.send("POST", path, body, headers).status, 200)
        again = self.signer.client.send("POST", path, body, headers)
        self.refused(again, 401, "AUTHENTICATION_FAILED")

    def test_signature_beside_a_token(self):
        user = self.service.client("alice")
        for api_token in (user.api_token, None):
            user.api_token = api_token
            target = user.target("records/modify", "public")
            body = json.dumps(save("both")).encode()
            for path in (target, target.partition("?")[0]):
                answer = user.send("POST", target, body, self.signer.headers(path, body))
                self.refused(answer, 401, "AUTHENTICATION_FAILED")

    def test_other_databases(self):
        for scope in ("private", "shared"):
            answer = self.signer.post("records/modify", save("private"), scope)
            self.refused(answer, 403, "ACCESS_DENIED")

    def test_part_of_the_headers(self):
        path = self.signer.client.path("records/modify", "public")
        body = json.dumps(save("part")).encode()
        for name in list(self.signer.headers(path, body)):
            headers = self.signer.headers(path, body)
            del headers[name]
            answer = self.signer.client.send("POST", path, body, headers)
            self.refused(answer, 401, "AUTHENTICATION_FAILED")


@unittest.skipUnless(
    REQUESTS_CLOUDKIT or is_demanded("requests-cloudkit"),
    "BULLA_REQUESTS_CLOUDKIT names no checkout of it")
class RequestsCloudKitTrial(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, REQUESTS_CLOUDKIT)
        import requests
        from requests_cloudkit import CloudKitAuth

        self.service = shared()
        self.session = requests.Session()
        self.addCleanup(self.session.close)
        self.session.trust_env = False
        self.session.verify = str(self.service.certificate)
        self.session.auth = CloudKitAuth(
            self.service.premises.key_id, str(self.service.premises.signing_key))
        self.client = self.service.client()

    def address(self, asked):
        return f"https://localhost:{self.service.port}{self.client.path(asked, 'public')}"

    def test_signed_post(self):
        answer = self.session.post(
            self.address("records/modify"), data=json.dumps(save("requests-cloudkit")))
        self.assertEqual(answer.status_code, 200, answer.text)
        self.assertEqual(answer.json()["records"][0]["recordName"], "requests-cloudkit")

    def test_get_without_a_body(self):
        for query in ("", "?x=1"):
            answer = self.session.get(self.address("zones/list") + query)
            self.assertEqual(answer.status_code, 200, answer.text)
