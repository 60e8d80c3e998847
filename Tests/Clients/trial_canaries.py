"""Searches the stores, their rows, backups and other files for tokens and values."""

import json
import os
import pathlib
import random
import re
import secrets
import unittest

from support.client import ZONE, operation, plain, sealed
from support.leak import forms, leak, pieces
from support.premises import BINARY, CONTAINER, PASSWORDS, run
from support.service import serving
from trial_assets import Files
import trial_shares

BULLA = pathlib.Path(BINARY).with_name("bulla")
# A backend sees indexed values, so the same search must find this one.
INDEXED = "canary-that-an-index-has"
SCHEMA = 'DEFINE SCHEMA ( RECORD TYPE Kept ( "___recordID" REFERENCE QUERYABLE, ' \
    "line STRING QUERYABLE SORTABLE, plain STRING ); );"
ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|.)")
LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}


class CanariesTrial(unittest.TestCase):
    """All kinds of tokens were issued and presented, and everything was backed up and restored."""

    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(serving(prepare=cls.prepare))
        cls.values = ["canary-" + secrets.token_hex(16) for _ in range(3)]
        cls.tokens = list(cls.service.premises.api_tokens.values())
        cls.client = cls.service.client("alice")
        cls.fill()
        cls.follow()
        cls.query()
        cls.send_a_file()
        cls.share()
        cls.end_a_session()
        cls.service.secrets += cls.values + cls.tokens
        cls.backups = [cls.service.folder / f"{name}.backup" for name in ("records", "accounts")]
        cls.command("backup", "--records", cls.backups[0], "--accounts", cls.backups[1])

    @staticmethod
    def prepare():
        """Runs in the service's process: puts its temporary files into a searched folder."""
        folder = pathlib.Path(os.environ["BULLA_CLIENTS_SCRATCH"]) / f"temporary-{os.getppid()}"
        folder.mkdir(exist_ok=True)
        os.environ["TMPDIR"] = str(folder)

    @classmethod
    def command(cls, *words, **options):
        return cls.service.premises.command(*words, folder=cls.service.folder, **options)

    # One of each kind.

    @classmethod
    def fill(cls):
        path = cls.service.folder / "schema.ckdb"
        path.write_text(SCHEMA)
        cls.command("import-schema", CONTAINER, path)
        cls.client.make_zone()
        for number in range(3):
            cls.client.create(f"k{number}", {
                "line": plain(INDEXED, "STRING"), "plain": plain(cls.values[0], "STRING"),
                "secret": sealed(cls.values[1], "STRING"),
                "secrets": sealed([cls.values[2]], "STRING_LIST"),
            }, "Kept", ZONE)
        for name in ("alice", "bob"):
            cls.tokens.append(cls.service.client(name).token)

    @classmethod
    def follow(cls):
        for operation_name, body, place in (
                ("changes/database", {}, lambda found: found),
                ("changes/zone", {"zones": [{"zoneID": ZONE}]}, lambda found: found["zones"][0])):
            token = place(cls.client.call(operation_name, body).json)["syncToken"]
            where = body["zones"][0] if body else body
            where["syncToken"] = token
            again = place(cls.client.call(operation_name, body).json)
            cls.tokens += {token, again["syncToken"]}

    @classmethod
    def query(cls):
        body = {"zoneID": ZONE, "resultsLimit": 1, "query": {"recordType": "Kept"}}
        for _ in range(2):
            mark = cls.client.call("records/query", body).json["continuationMarker"]
            body["continuationMarker"] = mark
            cls.tokens.append(mark)

    @classmethod
    def send_a_file(cls):
        files = Files(cls.client, ZONE)
        (address,) = files.addresses("filed")
        told = files.send(address, cls.values[1].encode() * 100).json["singleFile"]
        value = files.save("filed", told)
        body = files.read(value).body
        if body != cls.values[1].encode() * 100:
            raise AssertionError("the file is another one")
        # The address of a download ends in the file's name.
        download = max(value["downloadURL"].split("/"), key=len)
        cls.tokens += [address.rpartition("/")[2], told["receipt"], download]
        courier = trial_shares.CourierTrial.path(cls.client, cls.service)
        cls.tokens.append(courier.rpartition("/")[2])

    @classmethod
    def share(cls):
        other = cls.service.client("bob")
        name = other.call("users/current").json["userRecordName"]
        made = cls.client.modify([operation(
            "create", "cloudkit.zoneshare", {}, "cloudkit.share", publicPermission="NONE",
            participants=[{
                "userIdentity": {"lookupInfo": {"userRecordName": name}}, "type": "USER",
                "permission": "READ_WRITE", "acceptanceStatus": "INVITED"}])], ZONE)
        token = made.json["records"][0]["shortGUID"]
        other.call("records/accept", {"shortGUIDs": [{"value": token}]}, "public")
        cls.tokens.append(token)

    @classmethod
    def end_a_session(cls):
        client = cls.service.client()
        token = client.sign_in("bob", PASSWORDS["bob"])
        client.send("POST", f"/sign-out/{CONTAINER}/development", json.dumps(
            {"ckWebAuthToken": token}).encode())
        cls.tokens.append(token)

    # The search.

    @property
    def all_secrets(self):
        return self.values + list(PASSWORDS.values()) + [
            piece for token in self.tokens for piece in pieces(token)]

    def check(self, data, name):
        """Fails if bytes contain a secret, or if the search misses a planted one."""
        text = data.decode("latin-1")
        secret = random.choice(self.all_secrets)
        at = random.randrange(len(text) + 1)
        planted = text[:at] + random.choice(sorted(forms(secret))) + text[at:]
        self.assertIsNotNone(leak(planted, self.all_secrets), (name, secret))
        found = leak(text, self.all_secrets)
        self.assertIsNone(found, f"{name} has a secret at {found}")

    def test_kinds(self):
        """Checks that no token is missing, and that no two are the same."""
        self.assertEqual(len(set(self.tokens)), 14)
        self.assertTrue(all(len(piece) >= 16 for piece in self.all_secrets))

    def test_files(self):
        """The stores and backups as they lie on the disk, the log, and all other files."""
        folder = self.service.folder
        temporary = folder.parent.parent / f"temporary-{os.getpid()}"
        paths = [path for path in [*folder.rglob("*"), *temporary.rglob("*")] if path.is_file()]
        names = {path.name for path in paths}
        self.assertLessEqual(
            {"records.bulla", "accounts.bulla", "records.backup", "accounts.backup", "log"}, names)
        for path in paths:
            if path.suffix != ".pem":
                self.check(path.read_bytes(), path)

    @unittest.skipUnless(BULLA.exists(), "there is no bulla beside bulla-records to dump with")
    def test_rows(self):
        """The rows of the stores, and of their restored backups, as read with their keys."""
        folder = self.service.folder
        restored = folder / "restored"
        settings = json.loads((folder / "settings.json").read_text())
        restored.mkdir()
        (restored / "settings.json").write_text(json.dumps({**settings, "data": str(restored)}))
        self.service.premises.command(
            "restore", "--records", self.backups[0], "--accounts", self.backups[1],
            folder=restored)
        for place in (folder / "data", restored):
            for name in ("records", "accounts"):
                rows = self.rows(place / f"{name}.bulla", name)
                self.assertEqual(INDEXED.encode() in rows, name == "records")
                self.check(rows, place / name)

    def rows(self, store, name):
        """All keys and values of a store, in the clear."""
        path = self.service.folder / f"{store.parent.name}-{name}.dump"
        run(BULLA, "dump", store, "--output", path, "--key-source",
            self.service.premises.keys[name])
        text = path.read_bytes().replace(b"\n\t", b"")
        path.unlink()
        return ESCAPE.sub(self.unescaped, text)

    @staticmethod
    def unescaped(match):
        letters = match[1]
        return bytes.fromhex(letters[1:].decode()) if len(letters) > 1 else LETTERS[letters]
