"""Malicious and broken clients: the service keeps serving others, without using more memory."""

import contextlib
import json
import socket
import threading
import unittest
import urllib.parse

from support.client import ZONE, operation, plain
from support.premises import CONTAINER
from support.raw import RawClient, head, request
from support.service import Peak, eventually, serving

MEBIBYTE = 1 << 20
SETTINGS = {
    "limits": {
        "requestBytes": 256 << 10, "bytesInFlight": 400 << 10, "connections": 40,
        "assetBytes": MEBIBYTE, "workers": 4,
    },
    "timeouts": {"header": 1, "body": 1, "transfer": 1, "idle": 1, "whole": 2},
}


class HostileTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(serving(SETTINGS))
        cls.client = cls.service.client("alice")
        cls.client.make_zone()
        cls.expected = cls.client.create(
            "steady", {"title": plain("canary", "STRING")}, zone=ZONE).json["records"]
        cls.modify = cls.client.target("records/modify")

    def setUp(self):
        self.peak = Peak(self.service).__enter__()

    def tearDown(self):
        """After each of them the service answers as before, and has used little memory."""
        self.peak.__exit__()
        with self.service.client("alice") as client:
            found = client.look_up(["steady"], ZONE)
        self.assertEqual((found.status, found.json["records"]), (200, self.expected))
        self.assertLess(self.peak.growth, 40 * MEBIBYTE)

    def raw(self, **options):
        client = RawClient(self.service, **options)
        self.addCleanup(client.close)
        return client

    def refused(self, data, *statuses):
        """Expects an answer with one of these statuses, or, if 0 is one, a closed connection."""
        client = self.raw()
        client.send(data)
        status, body = client.answer()
        self.assertIn(status, statuses, body[:300])
        return json.loads(body) if body.startswith(b"{") else {}

    # Bodies.

    def test_body_beyond_the_limit(self):
        found = self.refused(head("POST", self.modify, "Content-Length: 99999999999"), 413)
        self.assertEqual(found["serverErrorCode"], "BAD_REQUEST")
        self.refused(request("POST", self.modify, b" " * (300 << 10)), 413)

    def test_chunks_beyond_the_limit(self):
        client = self.raw()
        client.send(head("POST", self.modify, "Transfer-Encoding: chunked"))
        chunk = b"8000\r\n" + b" " * 0x8000 + b"\r\n"
        # Until the connection is closed: the service must not accept chunks forever.
        while client.send(chunk):
            pass
        with self.service.client("alice") as other:
            self.assertEqual(other.call("zones/list").status, 200)

    def test_chunks_that_are_none(self):
        for body in (b"zz\r\n", b"-5\r\nabc\r\n", b"ffffffffffffffffff\r\n", b"5\r\nabcdefgh\r\n"):
            self.refused(
                head("POST", self.modify, "Transfer-Encoding: chunked").encode() + body, 0, 400)

    def test_two_lengths(self):
        self.refused(head("POST", self.modify, "Content-Length: 5", "Content-Length: 6"), 0, 400)
        self.refused(head("POST", self.modify, "Content-Length: -1"), 0, 400)
        self.refused(
            head("POST", self.modify, "Content-Length: 5", "Transfer-Encoding: chunked")
            + "0\r\n\r\n", 0, 400)

    def test_json_that_is_none(self):
        record = json.dumps({"operations": [operation("create", "x", {})], "zoneID": ZONE})
        nested = '{"operations":' + "[" * 100_000
        for body in (
                nested, "[" * 65 + "]" * 65, record[:-1] + ',"zoneID":{}}', "", "[]", "null", "{",
                record + "x", '{"operations":[{"operationType":"create"}]}', "\ufeff" + record,
                b'{"operations":"\xff\xfe"}', b'{"a":"\xed\xa0\x80"}', b'{"a":"\\ud800"}',
                b"\x00" * 100, '{"operations":1e999}', '{"a":01}', '{"a":NaN}'):
            found = self.refused(request("POST", self.modify, body), 400)
            self.assertEqual(found["serverErrorCode"], "BAD_REQUEST", body[:60])

    def test_values_that_no_field_can_have(self):
        for value, kind in (
                ("9223372036854775808", "INT64"), ("1e999", "DOUBLE"), ('"x"', "INT64"),
                ("1", "STRING"), ('"!"', "BYTES"), ('{"latitude":91e400}', "LOCATION"),
                ("[[1]]", "INT64_LIST"), ("{}", "REFERENCE")):
            body = (
                '{"operations":[{"operationType":"create","record":{"recordName":"v",'
                '"recordType":"Values","fields":{"f":{"value":%s,"type":"%s"}}}}]}'
                % (value, kind))
            client = self.raw()
            client.send(request("POST", self.modify, body))
            status, answer = client.answer()
            self.assertIn(status, (200, 400), answer)
            self.assertIn(b"BAD_REQUEST", answer, (value, kind))

    # Slow ones: each waits until the service closes the connection.

    def test_slow_handshake(self):
        client = self.raw(is_tls=False)
        client.send(b"\x16\x03\x01")
        self.assertEqual(client.receive(), b"")

    def test_slow_head(self):
        client = self.raw()
        self.assertFalse(client.drip((b"POST /database" + b"/1" * 10_000), 0.01))
        self.timed_out(client)

    def test_slow_body(self):
        client = self.raw()
        client.send(head("POST", self.modify, "Content-Length: 100000"))
        self.assertFalse(client.drip(b" " * 100_000, 0.01))
        self.timed_out(client)

    def test_no_body(self):
        client = self.raw()
        client.send(head("POST", self.modify, "Content-Length: 10"))
        self.timed_out(client)

    def test_no_request(self):
        self.timed_out(self.raw())

    def timed_out(self, client):
        """Expects that the service tells the client it was too slow, and closes the connection."""
        status, body = client.answer()
        self.assertEqual(status, 408)
        found = json.loads(body)
        self.assertEqual(found["serverErrorCode"], "BAD_REQUEST")
        self.assertIn("in time", found["reason"])
        self.assertEqual(client.receive(), b"")

    def test_slow_upload(self):
        answer = self.client.call("assets/upload", {"zoneID": ZONE, "tokens": [
            {"recordType": "Filed", "fieldName": "file"}]})
        path = urllib.parse.urlsplit(answer.json["tokens"][0]["url"]).path
        client = self.raw()
        client.send(head("POST", path, "Content-Length: 1000000"))
        # Each piece comes in time, but the whole would take hours.
        self.assertFalse(client.drip(b" " * 100_000, 0.01))

    def test_body_that_never_comes(self):
        client = self.raw()
        client.send(head("POST", self.modify, "Content-Length: 10", "Expect: 100-continue"))
        self.assertTrue(client.receive().startswith(b"HTTP/1.1 100 "))

    def test_idle_connection(self):
        client = self.raw()
        client.send(request("POST", self.client.target("zones/list"), b"{}"))
        self.assertEqual(client.answer()[0], 200)
        self.assertEqual(client.receive(), b"")

    def test_client_that_does_not_read(self):
        fields = {"text": plain("canary" * 30_000, "STRING")}
        for number in range(16):
            self.client.create(f"large-{number}", fields, "Large", ZONE)
        body = json.dumps({"zoneID": ZONE, "records": [
            {"recordName": f"large-{number}"} for number in range(16)]})
        client = self.raw(receive_buffer=4_096)
        # Many requests on one connection, whose answers the client never reads.
        asked = request("POST", self.client.target("records/lookup"), body)
        for _ in range(50):
            if not client.send(asked):
                break
        eventually(lambda: self.is_closed(client), "the connection is closed")

    @staticmethod
    def is_closed(client):
        """Whether the service has closed a connection from which the client reads nothing."""
        info = client.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
        return info[0] not in (1, 2)

    def test_half_closed_connection(self):
        before = self.service.metric("open_connections")
        client = self.raw(is_tls=False)
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.receive(), b"")
        client = self.raw()
        client.send(head("POST", self.modify, "Content-Length: 100") + "{")
        # TLS ends, and the connection stays open.
        with contextlib.suppress(OSError):
            client.socket.unwrap()
        client = self.raw()
        client.send(request("POST", self.client.target("zones/list"), b"{}"))
        # The request is complete: the service must answer it or close the connection.
        socket.socket.shutdown(client.socket, socket.SHUT_WR)
        received = client.receive()
        self.assertTrue(received == b"" or received.startswith(b"HTTP/1.1 200"), received)
        eventually(
            lambda: self.service.metric("open_connections") <= before, "they are let go")

    # Bytes that are not a request.

    def test_no_tls(self):
        client = self.raw(is_tls=False)
        client.send(request("POST", self.modify, b"{}"))
        self.assertNotIn(b"HTTP/1.1 200", client.receive())

    def test_rubbish(self):
        for data in (b"\x00" * 4_096, b"\x16\x03\x01\xff\xff" + b"x" * 70_000, b"\xff" * 100):
            client = self.raw(is_tls=False)
            client.send(data)
            client.receive()
        client = self.raw()
        client.send(b"\xde\xad\xbe\xef" * 1_000)
        self.assertNotIn(b"HTTP/1.1 200", client.receive())

    def test_heads_that_are_too_long(self):
        many = [f"X-Header-{number}: canary" for number in range(10_000)]
        for data in (
                head("GET", "/" + "a" * 1_000_000), head("GET", "/", "X-Long: " + "a" * 1_000_000),
                head("GET", "/", *many)):
            client = self.raw()
            client.send(data)
            self.assertNotIn(b"HTTP/1.1 200", client.receive())

    def test_targets(self):
        container = urllib.parse.quote(CONTAINER)
        for target in (
                "/", "//", "*", "/database", "/database/2/x/development/private/zones/list",
                f"/database/1/{container}/development/private/zones/drop",
                f"/database/1/{container}/staging/private/zones/list",
                f"/database/1/{container}/development/secret/zones/list",
                "/database/1/../../etc/development/private/zones/list",
                "/database/1/%2e%2e/development/private/zones/list", "/%", "/%zz", "/%00",
                "/upload/x", "/download/x/y/z", "/sign-in/", "/sign-in/x/development/y"):
            self.refused(request("POST", target, b"{}"), 400, 401, 404)
        found = self.refused(
            request("POST", self.modify.replace("ckAPIToken=", "ckAPIToken=%zz"), b"{}"), 400)
        self.assertNotIn("zz", found["reason"])

    def test_methods(self):
        for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "CANARY"):
            self.refused(request(method, self.modify, b"{}"), 400, 405)
        for method in ("HEAD", "TRACE", "CONNECT"):
            client = self.raw()
            client.send(request(method, self.modify, b"{}"))
            self.assertNotIn(client.answer()[0], (200,))

    # Too much at once.

    def test_more_connections_than_there_may_be(self):
        limit = SETTINGS["limits"]["connections"]
        clients = [self.raw(is_tls=False) for _ in range(4 * limit)]
        open_at_once = max(self.service.metric("open_connections") for _ in range(10))
        # The service accepts a few more before it stops accepting.
        self.assertLess(open_at_once, limit + 20)
        for client in clients:
            client.close()

    def test_more_bytes_than_may_be_in_flight(self):
        body = b" " * (250 << 10)
        first = self.raw()
        first.send(head("POST", self.modify, f"Content-Length: {len(body)}"))
        # Only bytes that have arrived take up room, not those announced.
        self.assertEqual(self.service.metric("bytes_in_flight"), 0)
        first.send(body[1_000:])
        eventually(
            lambda: self.service.metric("bytes_in_flight") >= len(body) - 1_000,
            "the first has its room")
        found = self.refused(
            head("POST", self.modify, f"Content-Length: {len(body)}").encode() + body, 503)
        self.assertEqual(found["serverErrorCode"], "TRY_AGAIN_LATER")
        self.assertGreaterEqual(found["retryAfter"], 1)
        first.close()
        eventually(
            lambda: self.service.metric("bytes_in_flight") == 0, "the room is given back")

    def test_requests_one_after_the_other_without_waiting(self):
        client = self.raw()
        asked = request("POST", self.client.target("zones/list"), b"{}")
        client.send(asked * 20)
        client.send(request("POST", self.client.target("zones/list"), b"{}", "Connection: close"))
        self.assertEqual(client.receive().count(b"HTTP/1.1 200"), 21)

    def test_uploads_that_break_off(self):
        answer = self.client.call("assets/upload", {"zoneID": ZONE, "tokens": [
            {"recordType": "Filed", "fieldName": "file"}] * 4})
        for token in answer.json["tokens"]:
            path = urllib.parse.urlsplit(token["url"]).path
            with self.raw() as client:
                client.send(head("POST", path, "Content-Length: 1000000"))
                client.send(b"canary" * 50_000)
            found = self.raw()
            found.send(head("POST", path, "Content-Length: 9999999"))
            self.assertEqual(found.answer()[0], 413)

    def test_handshakes_all_at_once(self):
        def connect():
            try:
                with RawClient(self.service) as client:
                    client.send("GET")
            except OSError:
                pass

        threads = [threading.Thread(target=connect) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
