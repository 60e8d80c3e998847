"""Zones that two users share, and clients that wait for changes."""

import http.client
import json
import threading
import unittest

from support.client import operation, plain, sealed
from support.service import eventually, serving, shared


class ShareTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = shared()
        cls.owner, cls.other = cls.service.client("alice"), cls.service.client("bob")
        cls.owner_name, cls.other_name = (
            client.call("users/current").json["userRecordName"]
            for client in (cls.owner, cls.other))

    def invite(self, zone, permission, **more):
        """Shares a zone with the other user."""
        return self.owner.modify([operation(
            "create", "cloudkit.zoneshare", {"cloudkit.title": plain("canary", "STRING")},
            "cloudkit.share", publicPermission="NONE", participants=[{
                "userIdentity": {"lookupInfo": {"userRecordName": self.other_name}},
                "type": "USER", "permission": permission, "acceptanceStatus": "INVITED"}],
            **more)], zone)

    def accepted(self, name, permission):
        """A zone in which the other user participates, as that user names it."""
        zone = self.owner.make_zone(name)
        made = self.invite(zone, permission)
        self.assertIsNone(made.code, made)
        token = made.json["records"][0]["shortGUID"]
        self.service.secrets.append(token)
        for asked, status in (("records/resolve", "INVITED"), ("records/accept", "ACCEPTED")):
            answer = self.other.call(asked, {"shortGUIDs": [{"value": token}]}, "public")
            self.assertEqual(answer.json["results"][0]["participantStatus"], status, answer)
        return zone, {**zone, "ownerRecordName": self.owner_name}

    def test_both_read_and_write(self):
        zone, shared_zone = self.accepted("written", "READ_WRITE")
        self.owner.create("a", {"secret": sealed("canary a", "STRING")}, zone=zone)
        found = self.other.look_up(["a"], shared_zone, "shared").json["records"][0]
        self.assertEqual(found["fields"]["secret"]["value"], "canary a")
        made = self.other.create(
            "b", {"secret": sealed("canary b", "STRING")}, zone=shared_zone, scope="shared")
        self.assertIsNone(made.code, made)
        found = self.owner.look_up(["b"], zone).json["records"][0]
        self.assertEqual(found["fields"]["secret"]["value"], "canary b")
        self.assertEqual(found["created"]["userRecordName"], self.other_name)
        changes = self.other.call("changes/zone", {"zones": [{"zoneID": shared_zone}]}, "shared")
        names = {record["recordName"] for record in changes.json["zones"][0]["records"]}
        self.assertEqual(names, {"a", "b", "cloudkit.zoneshare"})

    def test_reader_writes_nothing(self):
        _, shared_zone = self.accepted("read", "READ_ONLY")
        refused = self.other.create("c", {}, zone=shared_zone, scope="shared")
        self.assertEqual(refused.code, "ACCESS_DENIED", refused)

    def test_who_is_taken_out_reads_nothing(self):
        zone, shared_zone = self.accepted("left", "READ_WRITE")
        self.owner.create("a", {"secret": sealed("canary", "STRING")}, zone=zone)
        out = self.owner.modify([operation(
            "forceUpdate", "cloudkit.zoneshare", None, "cloudkit.share", participants=[])], zone)
        self.assertIsNone(out.code, out)
        answer = self.other.look_up(["a"], shared_zone, "shared")
        self.assertEqual((answer.status, answer.code), (404, "ZONE_NOT_FOUND"))

    def test_share_of_one_record(self):
        zone = self.owner.make_zone("single")
        for name in ("a", "b"):
            self.owner.create(name, {"secret": sealed("canary", "STRING")}, zone=zone)
        made = self.owner.modify([operation(
            "create", "the-share", None, "cloudkit.share", forRecord={"recordName": "a"},
            participants=[{
                "userIdentity": {"lookupInfo": {"userRecordName": self.other_name}},
                "type": "USER", "permission": "READ_WRITE"}])], zone)
        self.assertIsNone(made.code, made)
        token = made.json["records"][0]["shortGUID"]
        self.service.secrets.append(token)
        answer = self.other.call("records/accept", {"shortGUIDs": [{"value": token}]}, "public")
        self.assertEqual(answer.json["results"][0]["rootRecordName"], "a", answer)
        shared_zone = {**zone, "ownerRecordName": self.owner_name}
        found = self.other.look_up(["a", "b"], shared_zone, "shared").json["records"]
        self.assertEqual(found[0]["fields"]["secret"]["value"], "canary")
        self.assertEqual(found[1]["serverErrorCode"], "NOT_FOUND")
        made = self.other.modify([operation(
            "create", "c", {}, "Note", parent={"recordName": "a"})], shared_zone, "shared")
        self.assertIsNone(made.code, made)
        changes = self.other.call("changes/zone", {"zones": [{"zoneID": shared_zone}]}, "shared")
        names = {record["recordName"] for record in changes.json["zones"][0]["records"]}
        self.assertEqual(names, {"a", "c", "the-share"})

    def test_invitation_by_url(self):
        zone = self.owner.make_zone("invited")
        self.owner.create("a", {"secret": sealed("canary", "STRING")}, zone=zone)
        made = self.owner.modify([operation(
            "create", "cloudkit.zoneshare", None, "cloudkit.share", oneTimeInvitations=[
                {"permission": "READ_WRITE", "expirationTimestamp": 4_102_444_800_000}])], zone)
        self.assertIsNone(made.code, made)
        share = made.json["records"][0]
        token = share["oneTimeInvitations"][0]["shortGUID"]
        self.service.secrets.extend((token, share["shortGUID"]))
        read = self.owner.look_up(["cloudkit.zoneshare"], zone)
        self.assertNotIn("oneTimeInvitations", read.json["records"][0])
        for name, status in ((share["shortGUID"], None), (token, "ACCEPTED")):
            answer = self.other.call("records/accept", {"shortGUIDs": [{"value": name}]}, "public")
            self.assertEqual(
                answer.json["results"][0].get("participantStatus"), status, answer)
        shared_zone = {**zone, "ownerRecordName": self.owner_name}
        found = self.other.look_up(["a"], shared_zone, "shared").json["records"][0]
        self.assertEqual(found["fields"]["secret"]["value"], "canary")

    def test_default_zone_is_not_shared(self):
        refused = self.invite({"zoneName": "_defaultZone"}, "READ_ONLY")
        self.assertIsNotNone(refused.code, refused)


class CourierTrial(unittest.TestCase):
    @staticmethod
    def path(client, service):
        """The address at which a client waits for changes of its databases."""
        answer = client.call("tokens/create", {"apnsEnvironment": "development"})
        address = answer.json["webcourierURL"]
        service.secrets.append(address.rpartition("/")[2])
        return address.partition(str(service.port))[2]

    def test_change_is_told(self):
        service = shared()
        client, found = service.client("alice"), []
        zone = client.make_zone("couriers")
        path = self.path(client, service)
        thread = threading.Thread(
            target=lambda: found.append(service.client("alice").send("GET", path)))
        thread.start()
        # It learns of the change, whether it is already waiting or not.
        client.create("a", {}, zone=zone)
        thread.join()
        self.assertEqual((found[0].status, found[0].json["ck"]["ce"]), (200, 2), found)

    def events(self, client, path):
        """A connection on which the service tells of every change."""
        connection = http.client.HTTPSConnection(
            "localhost", client.service.port, timeout=120, context=client.service.context())
        connection.request("GET", path, headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        self.addCleanup(connection.close)
        return answer

    def test_events_tell_of_every_change(self):
        service = shared()
        client = service.client("alice")
        zone = client.make_zone("events")
        path = self.path(client, service)
        streams = [self.events(client, path) for _ in range(2)]
        for stream in streams:
            self.assertEqual(
                (stream.status, stream.headers["Content-Type"]), (200, "text/event-stream"))
        for name in ("a", "b", "c"):
            client.create(name, {}, zone=zone)
            for stream in streams:
                kind, _, data = stream.readline().partition(b": ")
                self.assertEqual((kind, json.loads(data)["ck"]["ce"]), (b"data", 2))
                self.assertEqual(stream.readline(), b"\n")

    def test_silent_connection_stays(self):
        settings = {"timeouts": {"transfer": 1}}
        with serving(settings) as service:
            client = service.client("alice")
            stream = self.events(client, self.path(client, service))
            for _ in range(4):
                self.assertEqual((stream.readline(), stream.readline()), (b":\n", b"\n"))
            client.create("a", {})
            self.assertTrue(any(line.startswith(b"data: ") for line in stream))

    def test_events_need_a_token(self):
        service = shared()
        client = service.client("alice")
        path = self.path(client, service)
        self.assertEqual(self.events(client, path[:-4] + "AAAA").status, 403)

    def test_stop_ends_events(self):
        with serving() as service:
            client = service.client("alice")
            stream = self.events(client, self.path(client, service))
            self.assertEqual(service.stop(), 0)
            self.assertEqual(stream.read().replace(b":\n\n", b""), b"")
            service.start()

    def test_stop_does_not_wait_for_them(self):
        with serving() as service:
            client, found = service.client("alice"), []
            path = self.path(client, service)

            def wait():
                try:
                    found.append(service.client("alice").send("GET", path))
                except OSError:
                    # A connection whose handshake has not ended is closed.
                    found.append(None)

            thread = threading.Thread(target=wait)
            thread.start()
            eventually(lambda: service.metric("open_connections") >= 2, "it waits")
            self.assertEqual(service.stop(), 0)
            thread.join()
            # Nothing has changed, or the request came too late to be accepted.
            if (answer := found[0]) is not None:
                self.assertIn(answer.status, (200, 503), found)
                self.assertTrue(answer.status == 503 or answer.body == b"{}", found)
            service.start()


class QuotaTrial(unittest.TestCase):
    def test_account_without_room(self):
        with serving({"limits": {"accountMebibytes": 1}}) as service:
            client = service.client("alice")
            zone = client.make_zone("small")
            text = {"text": plain("canary" * 50_000, "STRING")}
            codes = [client.create(f"q{number}", text, zone=zone).code for number in range(5)]
            self.assertIsNone(codes[0])
            self.assertEqual(codes[-1], "QUOTA_EXCEEDED")
            client.modify([operation("forceDelete", "q0")], zone)
            self.assertIsNone(client.create("q0", text, zone=zone).code)
            # Other users have limits of their own.
            other = service.client("bob")
            self.assertIsNone(other.create("q", text, zone=other.make_zone("small")).code)
