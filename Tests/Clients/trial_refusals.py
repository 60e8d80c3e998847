"""The service's refusals, each with its code and its reason."""

import unittest

from support.client import ZONE, operation, plain, sealed
from support.premises import CONTAINER
from support.service import serving, shared


class RefusalTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = shared()
        cls.client = cls.service.client("alice")
        cls.client.make_zone()

    def refused(self, answer, reason, code="BAD_REQUEST", status=200):
        """`status` 200: the refusal takes the record's place in the answer."""
        self.assertEqual((answer.status, answer.code), (status, code), answer)
        found = answer.json
        item = found["records"][0] if status == 200 else found
        self.assertIn(reason, item["reason"])
        self.assertEqual("uuid" in item, status != 200)

    def save(self, name, fields, kind="Refused"):
        return self.client.create(name, fields, kind, ZONE)

    def test_encrypted_reference(self):
        value = {"recordName": "other", "action": "NONE"}
        for one in (sealed(value, "REFERENCE"), sealed([value], "REFERENCE_LIST")):
            self.refused(self.save("r", {"to": one}), "can be encrypted")

    def test_encrypted_asset(self):
        value = {"fileChecksum": "x", "size": 1, "receipt": "x"}
        for one in (sealed(value, "ASSETID"), sealed([value], "ASSETID_LIST")):
            self.refused(self.save("a", {"file": one}), "can be encrypted")

    def test_encrypted_value_without_its_type(self):
        self.save("typed", {"secret": sealed("canary", "STRING")}, "Typed")
        self.refused(
            self.save("untyped", {"secret": {"value": "canary", "isEncrypted": True}}, "Typed"),
            "invalid attempt to set value type ENCRYPTED_BYTES for field 'secret' for type "
            "'Typed', defined to be: ENCRYPTED_STRING")

    def test_encrypted_field_in_the_public_database(self):
        answer = self.client.create(
            "p", {"secret": sealed("canary", "STRING")}, "Refused", scope="public")
        self.refused(answer, "secret")

    def test_filter_and_sort_on_an_encrypted_field(self):
        saved = self.save("hidden", {"hidden": sealed("canary", "STRING")}, "Hidden")
        self.assertIsNone(saved.code, saved)
        value = {"value": "canary", "type": "STRING"}
        for part in (
                {"filterBy": [{
                    "comparator": "EQUALS", "fieldName": "hidden", "fieldValue": value}]},
                {"sortBy": [{"fieldName": "hidden"}]}):
            answer = self.client.call(
                "records/query", {"query": {"recordType": "Hidden", **part}, "zoneID": ZONE})
            self.refused(answer, "encrypted", status=400)

    def test_index_on_an_encrypted_field(self):
        # Its own service: otherwise the import refuses to remove other tests' parts of the schema.
        with serving() as service:
            path = service.folder / "indexed.ckdb"
            path.write_text(
                "DEFINE SCHEMA RECORD TYPE Indexed ( secret ENCRYPTED STRING QUERYABLE );")
            with self.assertRaisesRegex(RuntimeError, "(?i)encrypted"):
                service.premises.command(
                    "import-schema", CONTAINER, path, folder=service.folder)

    def test_plain_field_turned_encrypted_and_back(self):
        fields = {"open": plain("canary", "STRING"), "closed": sealed("canary", "STRING")}
        self.assertIsNone(self.save("kinds", fields, "Kinds").code)
        self.refused(
            self.save("k1", {"open": sealed("canary", "STRING")}, "Kinds"), "open")
        self.refused(
            self.save("k2", {"closed": plain("canary", "STRING")}, "Kinds"), "closed")
        self.refused(self.save("k3", {"open": plain(1, "INT64")}, "Kinds"), "open")

    def test_unknown_field_and_type_in_production(self):
        made = self.save("promoted", {"title": plain("canary", "STRING")}, "Promoted")
        self.assertIsNone(made.code, made)
        self.service.premises.command(
            "promote-schema", CONTAINER, folder=self.service.folder)
        client = self.service.client("alice", "production")
        client.make_zone()
        known = client.create("a", {"title": plain("canary", "STRING")}, "Promoted", ZONE)
        self.assertIsNone(known.code, known)
        self.refused(
            client.create("b", {"other": plain("canary", "STRING")}, "Promoted", ZONE), "other")
        self.refused(client.create("c", {}, "Invented", ZONE), "Invented")

    def test_user_who_has_not_signed_in(self):
        answer = self.service.client().call("records/lookup", {"records": []})
        self.refused(answer, "sign in", "AUTHENTICATION_REQUIRED", 421)
        self.assertEqual(
            answer.json["redirectURL"],
            f"https://localhost:{self.service.port}/sign-in/{CONTAINER}/development")

    def test_tokens_that_are_not_good(self):
        client = self.service.client()
        for api_token, token in (("0" * 64, None), (client.api_token, "0" * 64), (None, None)):
            client.api_token, client.token = api_token, token
            self.refused(
                client.call("zones/list"), "", "AUTHENTICATION_FAILED", 401)

    def test_records_of_others(self):
        self.assertIsNone(self.save("mine", {"title": plain("canary", "STRING")}).code)
        owner = self.client.call("users/current").json["userRecordName"]
        other = self.service.client("bob")
        answer = other.look_up(["mine"], {**ZONE, "ownerRecordName": owner})
        self.refused(answer, "", "ZONE_NOT_FOUND", 404)

    def test_conflicts(self):
        made = self.save("c", {"title": plain("canary", "STRING")}, "Conflicts").json
        tag = made["records"][0]["recordChangeTag"]
        self.refused(self.save("c", {}, "Conflicts"), "", "CONFLICT")
        changed = self.client.modify(
            [operation("update", "c", {}, "Conflicts", recordChangeTag=tag)], ZONE)
        self.assertIsNone(changed.code, changed)
        stale = self.client.modify(
            [operation("update", "c", {}, "Conflicts", recordChangeTag=tag)], ZONE)
        self.refused(stale, "", "CONFLICT")
        batch = self.client.modify([
            operation("create", "c", {}, "Conflicts"),
            operation("create", "fresh", {}, "Conflicts")], ZONE)
        codes = [record["serverErrorCode"] for record in batch.json["records"]]
        self.assertEqual(codes, ["CONFLICT", "ATOMIC_ERROR"])
        self.assertEqual(self.client.names_of(["fresh"], ZONE), set())

    def test_limits_of_a_request(self):
        many = [operation("forceReplace", f"m{number}", {}) for number in range(201)]
        self.refused(self.client.modify(many, ZONE), "200", status=400)
        large = {"text": plain("x" * (1 << 20), "STRING")}
        self.refused(self.save("large", large), "")
