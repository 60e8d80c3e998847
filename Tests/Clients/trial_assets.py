"""Sends files in every way that clients know, and reads them whole or in part."""

import hashlib
import json
import os
import threading
import unittest
import urllib.parse

from support.client import operation, plain
from support.premises import run
from support.service import Peak, serving, shared

MEBIBYTE = 1 << 20


def target_of(address):
    """The first line's part of an address."""
    parts = urllib.parse.urlsplit(address)
    return parts.path + (f"?{parts.query}" if parts.query else "")


class Files:
    """Sends files for a record's field, and reads them."""

    def __init__(self, client, zone):
        self.client, self.zone = client, zone

    def addresses(self, record, count=1, field="file"):
        answer = self.client.call("assets/upload", {"zoneID": self.zone, "tokens": [
            {"recordType": "Filed", "fieldName": field, "recordName": record}] * count})
        return [token["url"] for token in answer.json["tokens"]]

    def send(self, address, contents, method="POST", **headers):
        return self.client.send(method, target_of(address), contents, headers)

    def save(self, record, value, field="file"):
        answer = self.client.modify([operation(
            "forceReplace", record, {field: plain(value, "ASSETID")}, "Filed")], self.zone)
        if answer.code:
            raise AssertionError(f"not saved: {answer}")
        return answer.json["records"][0]["fields"][field]["value"]

    def sent(self, record, contents, method="POST"):
        """The field's value for a file that was sent."""
        (address,) = self.addresses(record)
        answer = self.send(address, contents, method)
        if answer.status != 200:
            raise AssertionError(f"not taken: {answer}")
        return self.save(record, answer.json["singleFile"])

    def read(self, value, method="GET", **headers):
        headers = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.client.send(method, target_of(value["downloadURL"]), None, headers)


class AssetTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = shared()
        cls.client = cls.service.client("alice")
        cls.files = Files(cls.client, cls.client.make_zone("files"))

    def test_the_three_ways_to_send(self):
        contents = os.urandom(MEBIBYTE + 17)
        for method in ("POST", "PUT"):
            value = self.files.sent(f"by-{method}", contents, method)
            self.assertEqual(self.files.read(value).body, contents)
        path = self.service.folder / "canary.bin"
        path.write_bytes(contents)
        (address,) = self.files.addresses("by-form")
        # A form field in addition to the file.
        run("curl", "--silent", "--fail", "--cacert", self.service.certificate, "--form",
            "note=canary", "--form", f"files=@{path}", "--output", f"{path}.json", address)
        with open(f"{path}.json", encoding="utf-8") as answer:
            value = self.files.save("by-form", json.loads(answer.read())["singleFile"])
        self.assertEqual(self.files.read(value).body, contents)

    def test_headers_of_an_answer(self):
        value = self.files.sent("headers", b"<script>canary()</script>")
        answer = self.files.read(value)
        self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertTrue(answer.headers["Content-Disposition"].startswith("attachment"))
        self.assertIn("sandbox", answer.headers["Content-Security-Policy"])
        self.assertIn("no-store", answer.headers["Cache-Control"])
        self.assertEqual(answer.headers.get_all("Cache-Control"), ["private, no-store"])

    def test_parts_of_a_file(self):
        contents = os.urandom(2 * MEBIBYTE + 5)
        value = self.files.sent("ranges", contents)
        count = len(contents)
        for asked, begin, end in (
                ("bytes=0-0", 0, 1), ("bytes=5-", 5, count), ("bytes=-7", count - 7, count),
                (f"bytes={MEBIBYTE - 3}-{MEBIBYTE + 3}", MEBIBYTE - 3, MEBIBYTE + 4),
                (f"bytes=10-{2 * count}", 10, count)):
            answer = self.files.read(value, Range=asked)
            self.assertEqual(answer.status, 206, asked)
            self.assertEqual(answer.body, contents[begin:end], asked)
            self.assertEqual(
                answer.headers["Content-Range"], f"bytes {begin}-{end - 1}/{count}")
        beyond = self.files.read(value, Range=f"bytes={count}-")
        self.assertEqual((beyond.status, beyond.body), (416, b""))
        self.assertEqual(beyond.headers["Content-Range"], f"bytes */{count}")
        for asked in ("bytes=1-2,4-5", "lines=1-2", "bytes=x-"):
            self.assertEqual(self.files.read(value, Range=asked).status, 200, asked)
        tag = self.files.read(value).headers["ETag"]
        self.assertEqual(self.files.read(value, Range="bytes=1-2", If_Range=tag).status, 206)
        self.assertEqual(
            self.files.read(value, Range="bytes=1-2", If_Range='"other"').status, 200)

    def test_head(self):
        value = self.files.sent("head", b"canary" * 100)
        answer = self.files.read(value, "HEAD")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer.headers["Content-Length"], "600")
        # Only GET can ask for a part (RFC 9110, section 14.2).
        part = self.files.read(value, "HEAD", Range="bytes=0-9")
        self.assertEqual((part.status, part.headers["Content-Length"]), (200, "600"))

    def test_empty_file(self):
        value = self.files.sent("empty", b"")
        answer = self.files.read(value)
        self.assertEqual((answer.status, answer.body, value["size"]), (200, b"", 0))

    def test_equal_files_share_nothing(self):
        contents = b"canary" * 1_000
        first, second = (self.files.sent(name, contents) for name in ("equal-1", "equal-2"))
        for key in ("fileChecksum", "downloadURL"):
            self.assertNotEqual(first[key], second[key])
        self.assertNotEqual(
            first["fileChecksum"], hashlib.sha256(contents).hexdigest())
        self.client.modify([operation("forceDelete", "equal-1")], self.files.zone)
        self.assertEqual(self.files.read(first).status, 404)
        self.assertEqual(self.files.read(second).body, contents)

    def test_file_in_a_second_record(self):
        contents = os.urandom(MEBIBYTE + 3)
        self.files.sent("held", contents)
        answer = self.client.call("assets/rereference", {"zoneID": self.files.zone, "assets": [
            {"recordName": "held", "fieldName": "file"},
            {"recordName": "missing", "fieldName": "file"}]})
        found, missing = answer.json["assets"]
        self.assertEqual(missing["serverErrorCode"], "NOT_FOUND", answer)
        self.service.secrets.append(found["receipt"])
        second = self.files.save("holds", found)
        self.client.modify([operation("forceDelete", "held")], self.files.zone)
        self.assertEqual(self.files.read(second).body, contents)
        refused = self.client.modify([operation(
            "forceReplace", "holds", {"other": plain(found, "ASSETID")}, "Filed")],
            self.files.zone)
        self.assertEqual(refused.code, "BAD_REQUEST", refused)

    def test_changed_addresses(self):
        value = self.files.sent("changed", b"canary")
        (upload,) = self.files.addresses("changed")
        for address, method in ((value["downloadURL"], "GET"), (upload, "POST")):
            head, _, ticket = target_of(address).rpartition("/")
            other = "A" if ticket[20] != "A" else "B"
            for wrong in (ticket[:20] + other + ticket[21:], ticket[:-5], "", ticket + "AAAA"):
                answer = self.client.send(method, f"{head}/{wrong}", b"x")
                self.assertIn(answer.status, (401, 403, 404), (method, answer))
            moved = f"{head}/{ticket}".replace("development", "production")
            self.assertIn(self.client.send(method, moved, b"x").status, (401, 403, 404))
        self.assertEqual(self.files.send(upload, b"x", "DELETE").status, 405)
        crossed = upload.replace("/upload/", "/download/")
        self.assertIn(self.client.send("GET", target_of(crossed)).status, (401, 403, 404))

    def test_receipt_for_another_field_or_record(self):
        (address,) = self.files.addresses("owned")
        receipt = self.files.send(address, b"canary").json["singleFile"]
        for record, field in (("other", "file"), ("owned", "other")):
            answer = self.client.modify([operation(
                "forceReplace", record, {field: plain(receipt, "ASSETID")}, "Filed")],
                self.files.zone)
            self.assertEqual(answer.code, "BAD_REQUEST", answer)
        self.files.save("owned", receipt)

    def test_file_that_is_too_long(self):
        with serving({"limits": {"assetBytes": MEBIBYTE}}) as service:
            client = service.client("alice")
            files = Files(client, client.make_zone("files"))
            told, chunked = files.addresses("long", 2)
            self.assertEqual(files.send(told, bytes(MEBIBYTE + 1)).status, 413)
            parts = iter([bytes(MEBIBYTE // 4)] * 5)
            self.assertEqual(files.send(chunked, parts).status, 413)
            self.assertEqual(files.read(files.sent("fits", bytes(MEBIBYTE))).status, 200)

    def test_fifty_megabytes_in_little_memory(self):
        contents = os.urandom(MEBIBYTE) * 50
        self.files.sent("warm", contents[:2 * MEBIBYTE])
        with Peak(self.service) as peak:
            value = self.files.sent("fifty", contents)
        with Peak(self.service) as reading:
            found = self.files.read(value).body
        self.assertEqual(hashlib.sha256(found).digest(), hashlib.sha256(contents).digest())
        print(f"(up: {peak.growth / MEBIBYTE:.1f} MiB more, down: "
              f"{reading.growth / MEBIBYTE:.1f})", end=" ", flush=True)
        # Chunks go straight to the disk, so a busy machine holds no more of the file than others.
        for growth in (peak.growth, reading.growth):
            self.assertLess(growth, 16 * MEBIBYTE)

    def test_many_at_once(self):
        contents = {f"side-{number}": os.urandom(300_000) for number in range(8)}
        found = {}

        def work(name):
            with self.service.client("alice") as client:
                files = Files(client, self.files.zone)
                found[name] = files.read(files.sent(name, contents[name])).body

        threads = [threading.Thread(target=work, args=(name,)) for name in contents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, contents)
