"""What operators see: health, metrics, and a log without secrets."""

import base64
import json
import unittest

from support.client import ZONE, operation, plain, sealed
from support.leak import leak
from support.premises import CONTAINER, PASSWORDS
from support.service import eventually, serving
from support.signer import Signer


class OperationsTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(serving())
        cls.client = cls.service.client("alice")
        cls.client.make_zone()

    def test_health(self):
        self.assertEqual(self.service.admin("/health/live"), (200, "alive\n"))
        self.assertEqual(self.service.admin("/health/ready"), (200, "ready\n"))
        self.assertEqual(self.service.admin("/canary")[0], 404)
        # Clients cannot read it.
        self.assertEqual(self.client.send("GET", "/metrics").status, 404)
        self.assertEqual(self.client.send("GET", "/health/live").status, 404)

    def test_metrics(self):
        name = 'requests_total{operation="zones/list",status="200"}'
        before = self.service.metric(name)
        for _ in range(3):
            self.client.call("zones/list")
        # A request is counted after its answer was sent, and so perhaps later than this line.
        eventually(lambda: self.service.metric(name) >= before + 3, "they are counted")
        self.assertGreaterEqual(self.service.metric("open_connections"), 1)
        text = self.service.admin("/metrics")[1]
        for line in text.splitlines():
            if not line.startswith("#"):
                self.assertRegex(line, r'^bulla_records_[a-z_]+(\{[^}]*\})? [0-9.e+-]+$')
        for secret in self.service.secrets + ["canary"]:
            self.assertNotIn(secret, text)
        # Requests for missing things do not make it grow.
        for number in range(20):
            self.client.send("POST", f"/canary-{number}")
        lines = len(text.splitlines())
        self.assertLess(len(self.service.admin("/metrics")[1].splitlines()), lines + 60)

    def test_log_tells_no_secret(self):
        """Sends all kinds of requests, good and bad, then searches the log for their contents."""
        client, service = self.client, self.service
        client.create("canary", {
            "plain": plain("canary value", "STRING"), "sealed": sealed("canary value", "STRING"),
        }, zone=ZONE)
        client.look_up(["canary"], ZONE)
        client.create("canary", {"plain": plain(1, "INT64")}, zone=ZONE)
        client.call("records/query", {"zoneID": ZONE, "query": {
            "recordType": "Note", "filterBy": [{
                "comparator": "EQUALS", "fieldName": "plain",
                "fieldValue": {"value": "canary", "type": "STRING"}}]}})
        client.call("records/modify", b'{"canary": canary}')
        client.modify([operation("update", "canary", {}, recordChangeTag="canary")], ZONE)
        for path in ("/canary", "/canary?ckAPIToken=canary", "/upload/canary/canary/canary",
                     f"/database/1/{CONTAINER}/development/private/zones/list?ckAPIToken=canary",
                     f"/database/1/{CONTAINER}/development/private/canary/list",
                     f"/sign-in/{CONTAINER}/canary"):
            client.send("POST", path, b"canary", {
                "Cookie": "canary", "Authorization": "canary", "Host": "canary",
                "User-Agent": "canary", "X-Apple-CloudKit-Request-KeyID": "canary"})
        address = client.call("assets/upload", {"zoneID": ZONE, "tokens": [
            {"recordType": "Filed", "fieldName": "file"}]}).json["tokens"][0]["url"]
        ticket = address.rpartition("/")[2]
        service.secrets.append(ticket)
        client.send("POST", address.partition(str(service.port))[2], b"canary")
        client.send("POST", f"/sign-in/{CONTAINER}/development", json.dumps(
            {"accountName": "canary", "password": "canary"}).encode())
        signer = Signer(service)
        signer.post("records/modify", {"operations": [operation("create", "canary", {})]})
        signer.post("records/modify", {"operations": []}, "private")
        token = service.client().sign_in("bob", PASSWORDS["bob"])
        service.secrets.append(token)
        client.send("POST", f"/sign-out/{CONTAINER}/development", json.dumps(
            {"ckWebAuthToken": token}).encode())
        service.check_log()
        lines = service.log_lines()
        self.assertTrue(all({"time", "level", "message"} <= set(line) for line in lines))
        asked = [line for line in lines if line["message"] == "request"]
        self.assertIn("records/modify", {line["operation"] for line in asked})

    def test_search_of_the_log_finds_all_forms(self):
        secret = "canary-~~~???>>>-of-the-search"
        for before in range(4):
            for behind in range(4):
                written = b"x" * before + secret.encode() + b"y" * behind
                for text in (
                        written.decode(), written.hex(), written.hex().upper(),
                        base64.b64encode(written).decode(),
                        base64.urlsafe_b64encode(written).decode().rstrip("="),
                        written.decode().encode("utf-16-le").decode()):
                    self.assertIsNotNone(leak("z" * 5 + text, ["nothing", secret]), text)
        self.assertIsNone(leak("canary", ["canary-"]))

    def test_session_ends_at_once(self):
        token = self.service.client().sign_in("bob", PASSWORDS["bob"])
        self.service.secrets.append(token)
        client = self.service.client()
        client.token = token
        self.assertEqual(client.call("zones/list").status, 200)
        self.service.premises.command(
            "account", "end-sessions", CONTAINER, "bob", folder=self.service.folder)
        self.assertEqual(client.call("zones/list").status, 401)

    def test_reset_of_keys(self):
        self.service.premises.command(
            "account", "add", CONTAINER, "carol", "--password-source", "fd:0",
            folder=self.service.folder, input="canary-password-of-carol")
        client = self.service.client()
        client.token = client.sign_in("carol", "canary-password-of-carol")
        self.service.secrets.append(client.token)
        client.make_zone()
        client.create("before", {"secret": sealed("canary", "STRING")}, zone=ZONE)
        begin = client.call("changes/database").json["syncToken"]
        self.service.premises.command(
            "account", "reset-keys", CONTAINER, "carol", "--password-source", "fd:0",
            folder=self.service.folder, input="canary-another-password")
        self.assertEqual(client.call("zones/list").status, 401)
        client.token = client.sign_in("carol", "canary-another-password")
        self.service.secrets.append(client.token)
        answer = client.look_up(["before"], ZONE)
        self.assertEqual((answer.status, answer.code), (404, "ZONE_NOT_FOUND"))
        self.assertIs(answer.json["userDidResetEncryptedData"], True)
        changes = client.call("changes/database", {"syncToken": begin, "deletionReasons": True})
        self.assertEqual(
            [zone.get("deletionReason") for zone in changes.json["zones"]],
            ["ENCRYPTED_DATA_RESET"])
