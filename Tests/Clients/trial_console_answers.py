"""Looks at what the console and its answers say to a browser, as they arrive."""

import json
import unittest

from support.client import operation, plain
from support.premises import CONTAINER, PASSWORDS
from support.service import serving, shared

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"


class ConsoleOffTrial(unittest.TestCase):
    def test_off(self):
        """Without the setting there is no console."""
        client = shared().client()
        for target in ("/console", "/console/", "/console/console.js"):
            self.assertEqual(client.send("GET", target).status, 404)
        answer = client.send("POST", f"/console/pass/{CONTAINER}/development", b"{}")
        self.assertEqual((answer.status, answer.code), (404, "NOT_FOUND"))


class ConsoleHeadersTrial(unittest.TestCase):
    """What the page and its answers say to a browser, as they arrive."""

    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(serving({"console": True}))
        cls.client = cls.service.client("alice")

    def test_page(self):
        for name in ("", "console.js", "console.css", "icon.svg"):
            answer = self.client.send("GET", f"/console/{name}")
            self.assertEqual(answer.status, 200)
            self.assertTrue(answer.headers["Content-Security-Policy"].startswith(POLICY))
            self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
            for kind in ("Opener", "Resource"):
                self.assertEqual(answer.headers[f"Cross-Origin-{kind}-Policy"], "same-origin")
        for target in ("/console/../console.js", "/console/%2e%2e/console.js", "/console/x"):
            self.assertEqual(self.client.send("GET", target).status, 404)

    def test_no_answer_is_kept(self):
        zone = self.client.make_zone("headers")
        asked = self.client.call("assets/upload", {"zoneID": zone, "tokens": [
            {"recordType": "Filed", "fieldName": "file", "recordName": "a"}]})
        path = asked.json["tokens"][0]["url"].partition(f":{self.service.port}")[2]
        sent = self.client.send("POST", path, b"contents")
        saved = self.client.modify([operation(
            "create", "a", {"file": plain(sent.json["singleFile"], "ASSETID")}, "Filed")], zone)
        url = saved.json["records"][0]["fields"]["file"]["value"]["downloadURL"]
        answers = [
            asked, sent, saved, self.client.send("GET", url.partition(f":{self.service.port}")[2]),
            self.client.send("GET", "/console/"), self.client.send("GET", "/nothing"),
            self.client.send("POST", f"/console/schema/{CONTAINER}/development", json.dumps(
                {"ckWebAuthToken": self.client.token}).encode()),
            self.client.send("POST", f"/sign-in/{CONTAINER}/development", json.dumps(
                {"accountName": "alice", "password": PASSWORDS["alice"]}).encode()),
        ]
        self.assertEqual([answer.status for answer in answers], [200] * 5 + [404, 403, 200])
        for answer in answers:
            self.assertIn("no-store", answer.headers["Cache-Control"])
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
