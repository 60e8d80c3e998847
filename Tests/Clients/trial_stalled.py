"""Clients that ask for a file and then read nothing, or only a byte at times; slow uploads."""

import contextlib
import os
import socket
import threading
import time
import unittest

from support.client import ZONE, operation, plain
from support.raw import RawClient, head
from support.service import Peak, eventually, serving
from trial_assets import MEBIBYTE, Files, target_of

COUNT = 6
# More than the kernel buffers for a connection from which nobody reads.
FILE_BYTES = 32 * MEBIBYTE
# Longer than this trial.
NEVER = 3_600


class StalledTrial(unittest.TestCase):
    def serve(self, transfers=COUNT, **timeouts):
        """Starts a service that can send this many files at once, with a file to read."""
        never = dict.fromkeys(("header", "body", "transfer", "whole", "idle"), NEVER)
        self.service = self.enterContext(serving({
            "limits": {"transfers": transfers, "workers": 4}, "timeouts": never | timeouts,
        }))
        self.client = self.service.client("alice")
        self.files = Files(self.client, self.client.make_zone())
        self.client.create("steady", {"title": plain("canary", "STRING")}, zone=ZONE)
        self.contents = os.urandom(MEBIBYTE) * (FILE_BYTES // MEBIBYTE)
        self.value = self.files.sent("large", self.contents)
        # Make the allocations of one download before measuring those of many.
        self.assertEqual(self.files.read(self.value).body, self.contents)
        self.before = self.service.metric("open_connections")

    def stall(self):
        """Asks for the file on connections from which nothing is read yet."""
        clients = []
        for _ in range(COUNT):
            client = RawClient(self.service, receive_buffer=4_096)
            self.addCleanup(client.close)
            self.assertTrue(client.send(head("GET", target_of(self.value["downloadURL"]))))
            clients.append(client)
        return clients

    def ended(self, clients):
        """Expects that the service drops these connections, and sends files to others again."""
        for client in clients:
            eventually(lambda one=client: self.is_reset(one), "the connection is reset")
        eventually(
            lambda: self.service.metric("open_connections") <= self.before, "they are let go")
        self.assertGreaterEqual(self.service.metric("timeouts_total"), COUNT)
        eventually(lambda: self.downloads() == COUNT + 1, "each is in the log")
        eventually(lambda: self.files.read(self.value).status == 200, "there is room again")

    def downloads(self):
        return sum(line.get("operation") == "download" for line in self.service.log_lines())

    @staticmethod
    def is_reset(client):
        """Whether the connection is gone, including the data that the kernel still held for it."""
        info = client.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
        # The kernel's state TCP_CLOSE: an orderly end would wait for the unread data.
        return info[0] == 7

    def test_others_go_on_and_little_is_in_memory(self):
        self.serve(COUNT + 1)
        with Peak(self.service) as peak:
            clients = self.stall()
            eventually(self.is_still, "all are sent something, and then nothing more")
            self.assertEqual(self.client.look_up(["steady"], ZONE).status, 200)
            answer = self.client.modify([operation(
                "forceUpdate", "steady", {"title": plain("canary 2", "STRING")})], ZONE)
            self.assertEqual((answer.status, answer.code), (200, None))
            self.assertEqual(self.files.read(self.value).body, self.contents)
        # For each a chunk, a piece and the socket's buffer, but not the file.
        self.assertLess(peak.growth, 8 * COUNT * MEBIBYTE)
        for client in clients:
            client.close()
        eventually(
            lambda: self.service.metric("open_connections") <= self.before, "they are let go")

    def is_still(self):
        sent = self.service.metric("sent_bytes_total")
        time.sleep(0.5)
        # One client has read the whole file before.
        return FILE_BYTES + COUNT < sent == self.service.metric("sent_bytes_total")

    def test_nothing_is_read(self):
        self.serve(transfer=1)
        self.ended(self.stall())

    def test_a_byte_is_read_now_and_then(self):
        self.serve(transfer=1)
        self.ended(self.dripping(1))

    def test_so_much_is_read_that_something_always_comes(self):
        self.serve(whole=2)
        self.ended(self.dripping(4_096))

    def dripping(self, byte_count):
        """Clients that each read this many bytes from time to time, until their connections end."""
        def drip(client):
            # Read below TLS, which would take a whole record at once.
            with contextlib.suppress(OSError):
                while socket.socket.recv(client.socket, byte_count):
                    time.sleep(0.05)

        clients = self.stall()
        for client in clients:
            threading.Thread(target=drip, args=(client,), daemon=True).start()
        return clients


class SlowUploadTrial(unittest.TestCase):
    def test_upload_goes_on_after_the_leave_to_continue(self):
        """A file that is told to come has the time of a file, and not that of any other body."""
        service = self.enterContext(serving({"timeouts": {"body": 1, "transfer": 60}}))
        client = service.client("alice")
        (address,) = Files(client, client.make_zone()).addresses("slow")
        raw = RawClient(service)
        self.addCleanup(raw.close)
        raw.send(head(
            "POST", target_of(address), "Content-Length: 2", "Expect: 100-continue"))
        self.assertEqual(raw.answer(), (100, b""))
        raw.send(b"a")
        time.sleep(1.5)
        raw.send(b"b")
        status, body = raw.answer()
        self.assertEqual((status, b"singleFile" in body), (200, True), body)
