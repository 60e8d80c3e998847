"""Clients that send too many requests, and clients that guess passwords."""

import json
import threading
import time
import unittest

from support.premises import CONTAINER, PASSWORDS
from support.service import PATIENCE, Peak, serving
from support.signer import Signer


class LimitTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(serving({"limits": {
            "requestsPerSecond": 1, "requestBurst": 5, "failedSignInsPerMinute": 2,
            "passwords": 1}}))
        for name in PASSWORDS:
            cls.service.client(name)

    def test_requests_beyond_the_rate(self):
        client = self.service.client("alice")
        answers = [client.call("zones/list") for _ in range(12)]
        statuses = [answer.status for answer in answers]
        self.assertEqual(statuses[:5], [200] * 5)
        self.assertIn(429, statuses)
        refused = answers[statuses.index(429)]
        self.assertEqual(refused.code, "THROTTLED")
        self.assertGreaterEqual(refused.json["retryAfter"], 1)
        self.assertEqual(refused.headers["Retry-After"], str(refused.json["retryAfter"]))
        # Other users are served, and so is a program without a user: each has its own limit.
        self.assertEqual(self.service.client("bob").call("zones/list").status, 200)
        self.assertEqual(self.service.client().call("zones/list", scope="public").status, 200)
        # After a while it is served again.
        end = time.monotonic() + PATIENCE
        while (answer := client.call("zones/list")).status == 429 and time.monotonic() < end:
            time.sleep(answer.json["retryAfter"])
        self.assertEqual(answer.status, 200)

    def test_servers_too(self):
        signer = Signer(self.service)
        statuses = [signer.get("zones/list").status for _ in range(40)]
        self.assertEqual(statuses[0], 200)
        self.assertTrue(set(statuses) <= {200, 429})

    def sign_in(self, name, password):
        return self.service.client().send(
            "POST", f"/sign-in/{CONTAINER}/development",
            json.dumps({"accountName": name, "password": password}).encode())

    def test_wrong_passwords(self):
        for name in ("alice", "nobody"):
            for _ in range(2):
                answer = self.sign_in(name, "canary-that-is-wrong")
                self.assertEqual((answer.status, answer.code), (401, "AUTHENTICATION_FAILED"))
            answer = self.sign_in(name, PASSWORDS.get(name, "canary"))
            self.assertEqual((answer.status, answer.code), (429, "THROTTLED"))
            self.assertEqual(answer.headers["Retry-After"], str(answer.json["retryAfter"]))
        # No other user is locked out.
        answer = self.sign_in("bob", PASSWORDS["bob"])
        self.assertEqual(answer.status, 200)
        self.service.secrets.append(answer.json["ckWebAuthToken"])

    def test_many_passwords_at_once(self):
        """Each check takes 128 MiB, so the service tells other clients to come back."""
        answers = []
        with Peak(self.service) as peak:
            threads = [
                threading.Thread(target=lambda: answers.append(
                    self.sign_in("bob", PASSWORDS["bob"]))) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertLess(peak.growth, 200 << 20)
        self.assertEqual({answer.status for answer in answers} - {200, 503}, set())
        for answer in answers:
            if answer.status == 200:
                self.service.secrets.append(answer.json["ckWebAuthToken"])
            else:
                self.assertEqual(answer.code, "TRY_AGAIN_LATER")
        self.assertIn(200, {answer.status for answer in answers})
