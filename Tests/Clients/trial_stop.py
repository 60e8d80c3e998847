"""Orderly and violent ends of the service: acknowledged records are there afterwards."""

import json
import os
import pathlib
import random
import signal
import socket
import ssl
import time
import unittest

from support.client import ZONE, operation
from support.crowd import Crowd
from support.premises import IS_LONG, make_certificate
from support.raw import RawClient, head, request
from support.service import Service, eventually, serving


class StopTrial(unittest.TestCase):
    def check(self, service, crowd):
        """Checks that all acknowledged records are there, and that no answer was wrong."""
        self.assertEqual(crowd.faults, [])
        self.assertGreater(crowd.count(), 0)
        with service.client("alice") as client:
            found = client.titles_of(crowd.acknowledged, ZONE)
        wrong = {name for name in crowd.acknowledged if found.get(name) != "canary " + name}
        self.assertEqual(wrong, set())

    def test_stop_under_load(self):
        with serving() as service:
            service.client("alice").make_zone()
            with Crowd(service, 16) as crowd:
                eventually(lambda: crowd.count() > 20, "records are saved")
                self.assertEqual(service.stop(), 0)
            self.assertEqual({answer.status for answer in crowd.refusals} - {503}, set())
            self.assertIn("stopped", service.log())
            service.start()
            self.check(service, crowd)

    def test_request_that_was_begun_is_answered(self):
        """Even if only a part of it had arrived."""
        with serving() as service:
            client = service.client("alice")
            client.make_zone()
            body = json.dumps({"zoneID": ZONE, "operations": [
                operation("create", f"begun-{number}", {}) for number in range(50)]}).encode()
            target = client.target("records/modify")
            with RawClient(service) as begun, RawClient(service) as idle:
                idle.send(request("POST", client.target("zones/list"), b"{}"))
                self.assertEqual(idle.answer()[0], 200)
                begun.send(head("POST", target, f"Content-Length: {len(body)}").encode()
                           + body[:100])
                eventually(lambda: service.metric("bytes_in_flight") > 0, "it has begun")
                service.send(signal.SIGTERM)
                # Idle connections are closed, and new ones are refused.
                self.assertEqual(idle.receive(), b"")
                eventually(lambda: not self.is_listening(service), "nobody is let in")
                begun.send(body[100:])
                status, answer = begun.answer()
                self.assertEqual(status, 200, answer)
                self.assertEqual(begun.receive(), b"")
            self.assertEqual(service.process.wait(60), 0)
            service.start()
            names = {f"begun-{number}" for number in range(50)}
            self.assertEqual(service.client("alice").names_of(names, ZONE), names)

    @staticmethod
    def is_listening(service):
        try:
            socket.create_connection(("127.0.0.1", service.port), 5).close()
            return True
        except OSError:
            return False

    def test_stop_does_not_wait_for_ever(self):
        with serving({"timeouts": {"stop": 1, "body": 3_600}}) as service:
            with RawClient(service) as client:
                client.send(head("POST", service.client("alice").target("records/modify"),
                                 "Content-Length: 100") + "{")
                eventually(lambda: service.metric("bytes_in_flight") > 0, "it has begun")
                service.send(signal.SIGTERM)
                service.process.wait(60)
                client.receive()
            service.start()

    def test_killed_under_load(self):
        pause, kills, grown = (15.0 if IS_LONG else 2.0), 0, 0
        end = time.monotonic() + (600 if IS_LONG else 0)
        with serving() as service:
            service.client("alice").make_zone()
            with Crowd(service, 64) as crowd:
                while kills == 0 or time.monotonic() < end:
                    kills += 1
                    before, begin = crowd.count(), service.memory()
                    eventually(lambda: crowd.count() > before + 100, "records are saved")
                    time.sleep(pause * random.random())
                    grown = max(grown, service.memory() - begin)
                    service.process.kill()
                    service.process.wait()
                    service.start()
                before = crowd.count()
                eventually(lambda: crowd.count() > before, "it goes on")
            self.check(service, crowd)
            if IS_LONG:
                print(f"({kills} kills, {crowd.count()} records, {grown >> 20} MiB)", end=" ",
                      flush=True)
            self.assertLess(grown, 128 << 20)

    def test_interrupt_ends_it_too(self):
        service = Service()
        self.assertEqual(service.stop(signal.SIGINT), 0)


class CertificateTrial(unittest.TestCase):
    @staticmethod
    def shown(service):
        """The certificate that a new connection gets."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", service.port), 60) as plain:
            with context.wrap_socket(plain) as tls:
                return tls.getpeercert(binary_form=True), tls.version()

    def hang_up(self, service, line):
        count = service.log().count(line)
        service.send(signal.SIGHUP)
        eventually(lambda: service.log().count(line) > count, line)

    def test_certificate_is_read_anew(self):
        with serving() as service:
            first, version = self.shown(service)
            self.assertEqual(version, "TLSv1.3")
            former = service.client("alice")
            self.assertEqual(former.call("zones/list").status, 200)
            fresh = service.folder / "fresh.pem"
            make_certificate(fresh, service.folder / "fresh-key.pem")
            os.replace(fresh, service.certificate)
            os.replace(service.folder / "fresh-key.pem", service.private_key)
            self.assertEqual(self.shown(service)[0], first)
            self.hang_up(service, "the certificate was read anew")
            second, _ = self.shown(service)
            self.assertNotEqual(second, first)
            # The old connection still works, and a new one gets the new certificate.
            self.assertEqual(former.call("zones/list").status, 200)
            self.assertEqual(service.client("alice").call("zones/list").status, 200)
            for bad in (b"canary", b"", service.private_key.read_bytes()):
                service.certificate.write_bytes(bad)
                self.hang_up(service, "the former one stays")
                self.assertEqual(self.shown(service)[0], second)
            pathlib.Path(service.certificate).unlink()
            self.hang_up(service, "the former one stays")
            self.assertEqual(self.shown(service)[0], second)

    def test_hang_up_without_certificate(self):
        """Behind a proxy there is nothing to read, and nothing ends."""
        with serving({"tls": {"certificate": "", "privateKey": ""}}) as service:
            for _ in range(2):
                self.hang_up(service, "there is no certificate to read anew")
            self.assertTrue(service.is_ready())

    def test_old_versions_of_tls(self):
        with serving() as service:
            context = service.context()
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
            with socket.create_connection(("127.0.0.1", service.port), 60) as plain:
                with self.assertRaises(OSError):
                    context.wrap_socket(plain, server_hostname="localhost")
