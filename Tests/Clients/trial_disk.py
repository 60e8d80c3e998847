"""Full disks, and limits on file sizes."""

import os
import pathlib
import resource
import signal
import subprocess
import unittest

from support.client import ZONE, bytes_text, operation, plain
from support.premises import SCRATCH
from support.service import eventually, serving

MEBIBYTE = 1 << 20


def restore_signals():
    """Restores signals that Python ignores, so that the service starts with their defaults."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


class DiskTrial(unittest.TestCase):
    def fill(self, client):
        """Saves records until the service refuses; returns the names saved, and the refusal."""
        saved = set()
        for number in range(2_000):
            name = f"filling-{number}"
            answer = client.create(
                name, {"bytes": plain(bytes_text(200_000), "BYTES")}, zone=ZONE)
            if answer.code:
                return saved, answer
            self.assertEqual(answer.status, 200, answer)
            saved.add(name)
        self.fail("the disk is never full")

    def check(self, service, client, make_room):
        self.assertIsNone(client.create("first", {}, zone=ZONE).code)
        saved, refusal = self.fill(client)
        self.assertGreater(len(saved), 2)
        reasons = [
            one for one in refusal.json.get("records", [refusal.json]) if "reason" in one]
        self.assertEqual(
            (refusal.status, refusal.code), (503, "TRY_AGAIN_LATER"), refusal)
        self.assertIn("disk is full", reasons[0]["reason"])
        self.assertGreaterEqual(reasons[0]["retryAfter"], 10)
        # Only the operator may learn the store's messages about its files.
        self.assertNotIn("records.bulla", refusal.body.decode())
        # A request is logged after its answer was sent, and so perhaps later than this line.
        eventually(lambda: "records.bulla" in service.log(), "the log names the full file")
        # It still reads, and still refuses.
        self.assertEqual(client.names_of(saved, ZONE), saved)
        again = client.create("again", {"bytes": plain(bytes_text(200_000), "BYTES")}, zone=ZONE)
        self.assertIsNotNone(again.code)
        self.check_refusals(client)
        upload = client.call("assets/upload", {"zoneID": ZONE, "tokens": [
            {"recordType": "Filed", "fieldName": "file"}]})
        self.assertEqual(upload.status, 200)
        address = upload.json["tokens"][0]["url"].partition(str(service.port))[2]
        self.assertEqual(client.send("POST", address, os.urandom(4 * MEBIBYTE)).status, 503)
        self.assertTrue(service.is_running())
        self.assertEqual(service.admin("/health/live")[0], 200)
        make_room()
        answer = client.create("room", {"bytes": plain(bytes_text(200_000), "BYTES")}, zone=ZONE)
        self.assertIsNone(answer.code, answer)
        self.assertEqual(client.names_of(saved | {"room"}, ZONE), saved | {"room"})
        client.modify([operation("forceDelete", "room")], ZONE)

    def check_refusals(self, client):
        """Records refused for other reasons get their own errors, next to those without space."""
        there = operation("create", "first", {})
        large = operation("create", "large", {"bytes": plain(bytes_text(200_000), "BYTES")})
        wrong = operation("create", "wrong", {"number": plain("none", "INT64")})
        for operations, codes in (
                ([there, large], ["CONFLICT", "TRY_AGAIN_LATER"]),
                ([large, wrong], ["TRY_AGAIN_LATER", "BAD_REQUEST"])):
            answer = client.modify(operations, ZONE, atomic=False)
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(
                [record.get("serverErrorCode") for record in answer.json["records"]], codes)

    def test_limit_on_the_size_of_files(self):
        with serving(prepare=restore_signals) as service:
            client = service.client("alice")
            client.make_zone()
            size = (service.folder / "data" / "records.bulla").stat().st_size
            _, hard = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(
                service.process.pid, resource.RLIMIT_FSIZE, (size + 4 * MEBIBYTE, hard))
            self.check(service, client, lambda: resource.prlimit(
                service.process.pid, resource.RLIMIT_FSIZE, (hard, hard)))

    def test_log_beyond_the_limit(self):
        with serving(prepare=restore_signals) as service:
            client = service.client("alice")
            _, hard = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
            size = service.log_file.stat().st_size
            resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (size + 100, hard))
            for _ in range(5):
                self.assertEqual(client.call("zones/list").status, 200)
            self.assertTrue(service.is_running())
            resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
            # The cut line is not JSON, so the file starts anew.
            os.truncate(service.log_file, 0)

    def test_log_that_nobody_reads(self):
        reader, writer = os.pipe()

        def prepare():
            restore_signals()
            os.dup2(writer, 2)

        with serving(prepare=prepare, is_logged=False) as service:
            os.close(writer)
            os.close(reader)
            client = service.client("alice")
            for _ in range(5):
                self.assertEqual(client.call("zones/list").status, 200)

    def test_full_disk(self):
        folder = pathlib.Path(SCRATCH) / "small-disk"
        folder.mkdir(exist_ok=True)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", str(folder)],
            capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("this machine lets nobody mount a small disk")
        try:
            ballast = folder / "ballast"
            ballast.write_bytes(bytes(8 * MEBIBYTE))
            with serving(data=folder / "data", prepare=restore_signals) as service:
                client = service.client("alice")
                client.make_zone()
                self.check(service, client, ballast.unlink)
        finally:
            subprocess.run(["umount", str(folder)], check=True)
