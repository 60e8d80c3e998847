"""A service that is backed up while it works, then restored; and operators' commands."""

import pathlib
import unittest

from support.client import ZONE, plain, sealed
from support.crowd import Crowd
from support.premises import BINARY, CONTAINER, PASSWORDS, run
from support.service import eventually, serving
from trial_assets import Files


class BackupTrial(unittest.TestCase):
    def test_restored_service(self):
        """A backup during writes, once restored, has all that was acknowledged before it."""
        with serving() as service:
            client = service.client("alice")
            client.make_zone()
            client.create("kept", {"secret": sealed("canary", "STRING")}, zone=ZONE)
            contents = bytes(range(256)) * 8192
            Files(client, ZONE).sent("filed", contents)
            token = client.call("changes/zone", {"zones": [{"zoneID": ZONE}]}).json[
                "zones"][0]["syncToken"]
            data = service.folder / "data"
            backups = [service.folder / name for name in ("records.backup", "accounts.backup")]
            with Crowd(service, 4) as crowd:
                eventually(lambda: crowd.count() > 20, "records are saved")
                before = set(crowd.acknowledged)
                self.command(
                    service, "backup", "--records", backups[0], "--accounts", backups[1])
                eventually(lambda: crowd.count() > len(before) + 20, "it goes on beside")
            self.assertEqual(crowd.faults, [])
            client.create("later", {"plain": plain("canary", "STRING")}, zone=ZONE)
            client.close()
            self.assertEqual(service.stop(), 0)
            data.rename(service.folder / "former")
            self.command(service, "restore", "--records", backups[0], "--accounts", backups[1])
            service.start()
            with service.client("alice") as client:
                self.check(client, before, contents)
                answer = client.call(
                    "changes/zone", {"zones": [{"zoneID": ZONE, "syncToken": token}]})
                self.assertIn("changeTokenExpired", answer.json["zones"][0]["reason"])
                client.create("anew", {"secret": sealed("canary", "STRING")}, zone=ZONE)
                self.assertIn("anew", self.followed(client))

    @staticmethod
    def command(service, *words, **options):
        return service.premises.command(*words, folder=service.folder, **options)

    def check(self, client, before, contents):
        """Checks that the backup's records are there, and later ones are not."""
        self.assertEqual(before - client.names_of(before, ZONE), set())
        record = client.look_up(["kept"], ZONE).json["records"][0]
        self.assertEqual(record["fields"]["secret"]["value"], "canary")
        self.assertEqual(client.names_of({"later"}, ZONE), set())
        record = client.look_up(["filed"], ZONE).json["records"][0]
        answer = Files(client, ZONE).read(record["fields"]["file"]["value"])
        self.assertEqual((answer.status, answer.body), (200, contents))

    @staticmethod
    def followed(client):
        """The records of a client that starts anew and follows the changes to the end."""
        names, token, goes_on = set(), None, True
        while goes_on:
            zone = {"zoneID": ZONE, **({"syncToken": token} if token else {})}
            answer = client.call("changes/zone", {"zones": [zone]}).json["zones"][0]
            names |= {record["recordName"] for record in answer["records"]}
            token, goes_on = answer["syncToken"], answer["moreComing"]
        return names


class CommandTrial(unittest.TestCase):
    """Operators' commands while a service runs."""

    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(serving())

    def command(self, *words, **options):
        return BackupTrial.command(self.service, *words, **options)

    def test_lists(self):
        self.assertIn(CONTAINER, self.command("container", "list"))
        accounts = self.command("account", "list", CONTAINER)
        for name in PASSWORDS:
            self.assertIn(name, accounts)

    def test_validated_schema(self):
        schema = self.service.folder / "schema.ckdb"
        schema.write_text('DEFINE SCHEMA ( RECORD TYPE Tablet ( "___recordID" REFERENCE, '
                          "line STRING QUERYABLE ); );")
        run(BINARY, "validate-schema", schema)
        schema.write_text("DEFINE SCHEMA ( RECORD TYPE Tablet ( line NOTHING ); );")
        with self.assertRaises(RuntimeError):
            run(BINARY, "validate-schema", schema)

    def test_verified_zones(self):
        with self.service.client("alice") as client:
            client.make_zone()
            for name in ("verified-one", "verified-two"):
                client.create(name, {"secret": sealed("canary", "STRING")}, zone=ZONE)
        lines = [line for line in self.command("verify").splitlines() if ZONE["zoneName"] in line]
        self.assertTrue(any(line.endswith(": 2 records") for line in lines), lines)
        for line in lines:
            self.assertRegex(line, rf"^{CONTAINER} development _[0-9a-f]{{32}} .*: [0-9]+ records$")

    def test_programs(self):
        token = self.command("program", "add", CONTAINER, "clay")
        self.service.secrets.append(token)
        self.assertIn("clay", self.command("program", "list", CONTAINER))
        client = self.service.client(api_token=token)
        self.assertEqual(client.call("zones/list").status, 421)
        self.command("program", "remove", CONTAINER, "clay")
        self.assertNotIn("clay", self.command("program", "list", CONTAINER))
        self.assertEqual(client.call("zones/list").status, 401)
        client.close()

    def test_server_keys(self):
        key_id = self.service.premises.key_id
        self.assertIn(key_id, self.command("server-key", "list", CONTAINER))
        self.command("server-key", "remove", CONTAINER, key_id)
        self.assertNotIn(key_id, self.command("server-key", "list", CONTAINER))

    def test_changed_password(self):
        former, later = "canary-first-of-dora", "canary-second-of-dora"
        self.service.secrets += [former, later]
        self.command("account", "add", CONTAINER, "dora", "--password-source", "fd:0",
                     input=former)
        with self.service.client() as client:
            client.token = client.sign_in("dora", former)
            self.service.secrets.append(client.token)
            client.make_zone()
            client.create("tablet", {"secret": sealed("canary", "STRING")}, zone=ZONE)
        source = pathlib.Path(self.service.folder) / "former"
        source.touch(mode=0o600)
        source.write_text(former)
        self.command("account", "change-password", CONTAINER, "dora", "--former-password-source",
                     f"file:{source}", "--password-source", "fd:0", input=later)
        with self.service.client() as client:
            with self.assertRaises(AssertionError):
                client.sign_in("dora", former)
            client.token = client.sign_in("dora", later)
            self.service.secrets.append(client.token)
            record = client.look_up(["tablet"], ZONE).json["records"][0]
            self.assertEqual(record["fields"]["secret"]["value"], "canary")
        self.command("account", "delete", CONTAINER, "dora")
        self.assertNotIn("dora", self.command("account", "list", CONTAINER))
        with self.service.client() as client, self.assertRaises(AssertionError):
            client.sign_in("dora", later)
