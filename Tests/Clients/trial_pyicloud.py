"""pyicloud's client of containers, unmodified and in its strict mode."""

import os
import unittest

from support.client import ZONE
from support.premises import CONTAINER, is_demanded
from support.service import shared

try:
    import requests
    from pyicloud.common.cloudkit import client as pyicloud
    from pyicloud.common.cloudkit import models
except ImportError:
    if is_demanded("pyicloud"):
        raise
    pyicloud = None

PLAIN = {
    "aString": ("STRING", "canary text"),
    "anInt64": ("INT64", -(2**53) - 1),
    "aDouble": ("DOUBLE", 0.1),
    "aTimestamp": ("TIMESTAMP", 1_700_000_000_123),
    "someBytes": ("BYTES", "AAECAwQ="),
    "aLocation": ("LOCATION", {"latitude": 47.5, "longitude": -122.25}),
    "strings": ("STRING_LIST", ["canary one", "", "two"]),
    "int64s": ("INT64_LIST", [1, -2, 2**62]),
    "doubles": ("DOUBLE_LIST", [1.5, -0.25]),
    "timestamps": ("TIMESTAMP_LIST", [0, 1_700_000_000_123]),
    "severalBytes": ("BYTES_LIST", ["AAE=", "/w=="]),
    "locations": ("LOCATION_LIST", [{"latitude": 1.5, "longitude": 2.5}]),
}


def typed(values, is_sealed):
    """The fields of a request, in the words of the wire."""
    mark = {"isEncrypted": True} if is_sealed else {}
    return {
        name: {"type": kind, "value": value, **mark} for name, (kind, value) in values.items()}


@unittest.skipIf(pyicloud is None, "pyicloud is not installed")
class PyicloudTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = shared()
        cls.raw = cls.service.client("alice")
        cls.raw.make_zone()
        cls.zone = models.CKZoneIDReq(**ZONE)
        cls.client = cls.make_client(cls.raw.token)

    @classmethod
    def make_client(cls, token, scope="private"):
        session = requests.Session()
        session.trust_env = False
        session.verify = str(cls.service.certificate)
        cls.addClassCleanup(session.close)
        return pyicloud.CloudKitContainerClient(
            f"https://localhost:{cls.service.port}/database/1/{CONTAINER}/development/{scope}",
            session, {"ckAPIToken": cls.raw.api_token, "ckWebAuthToken": token},
            validation_extra="forbid")

    def modify(self, kind, name, fields, record_type="Strict", **more):
        record = models.CKWriteRecord(
            recordName=name, recordType=record_type, fields=fields, **more)
        answer = self.client.modify(
            operations=[models.CKModifyOperation(operationType=kind, record=record)],
            zone_id=self.zone)
        return answer.records[0]

    def look_up(self, *names):
        return self.client.lookup(names, zone_id=self.zone).records

    def as_sent(self, name):
        return self.raw.look_up([name], ZONE).json["records"][0]["fields"]

    def test_create_update_look_up_and_delete(self):
        made = self.modify("create", "a", {"title": {"type": "STRING", "value": "canary"}})
        self.assertEqual(made.fields.title.value, "canary")
        changed = self.modify(
            "update", "a", {"title": {"type": "STRING", "value": "canary 2"}},
            recordChangeTag=made.recordChangeTag)
        self.assertNotEqual(changed.recordChangeTag, made.recordChangeTag)
        found, missing = self.look_up("a", "no-such-record")
        self.assertEqual(found.fields.title.value, "canary 2")
        self.assertIsInstance(missing, models.CKErrorItem)
        self.assertEqual(missing.serverErrorCode, "NOT_FOUND")
        gone = self.modify("delete", "a", {}, recordChangeTag=changed.recordChangeTag)
        self.assertIsInstance(gone, models.CKTombstoneRecord)

    def test_all_types_plain(self):
        made = self.modify("create", "plain", typed(PLAIN, False), "PlainTypes")
        self.assertIsInstance(made, models.CKRecord)
        self.assertEqual(self.as_sent("plain"), typed(PLAIN, False))
        (found,) = self.look_up("plain")
        self.assertEqual(found.fields.anInt64.value, -(2**53) - 1)
        self.assertEqual(found.fields.someBytes.value, bytes(range(5)))
        self.assertEqual(found.fields.aTimestamp.value.timestamp(), 1_700_000_000.123)

    def test_all_types_encrypted(self):
        made = self.modify("create", "sealed", typed(PLAIN, True), "SealedTypes")
        self.assertIsInstance(made, models.CKRecord)
        self.assertEqual(self.as_sent("sealed"), typed(PLAIN, True))
        (found,) = self.look_up("sealed")
        self.assertEqual(found.fields.aString.value, "canary text")
        self.assertTrue(found.fields.aString.unwrap().isEncrypted)

    def test_name_that_says_encrypted(self):
        # The strict models accept a field with such a name only as an encrypted string.
        made = self.modify("create", "named", {
            "titleEncrypted": {"type": "STRING", "value": "canary", "isEncrypted": True}})
        self.assertEqual(made.fields.titleEncrypted.value, "canary")

    def test_references_parents_and_their_lists(self):
        self.modify("create", "folder", {"title": {"type": "STRING", "value": "canary"}})
        reference = {"recordName": "folder", "action": "VALIDATE"}
        made = self.modify("create", "child", {
            "in": {"type": "REFERENCE", "value": reference},
            "near": {"type": "REFERENCE_LIST", "value": [{"recordName": "folder"}]},
        }, parent=models.CKWriteParent(recordName="folder"))
        self.assertEqual(made.parent.recordName, "folder")
        self.assertEqual(made.fields.get_value("in").action, "VALIDATE")
        self.assertEqual(made.fields.near.value[0].recordName, "folder")

    def test_error_items(self):
        self.modify("create", "twice", {})
        with self.assertRaises(pyicloud.CloudKitApiError) as caught:
            self.modify("create", "twice", {})
        (item,) = caught.exception.payload["records"]
        self.assertEqual(item["serverErrorCode"], "CONFLICT")
        item = models.CKErrorItem.model_validate(item, extra="forbid")
        self.assertEqual(item.recordName, "twice")

    def test_whole_errors(self):
        with self.assertRaises(pyicloud.CloudKitAuthError):
            self.make_client("no-such-token").zones_list()
        with self.assertRaises(pyicloud.CloudKitApiError) as caught:
            self.client.lookup(["a"], zone_id=models.CKZoneIDReq(zoneName="noSuchZone"))
        self.assertEqual(caught.exception.payload["serverErrorCode"], "ZONE_NOT_FOUND")

    def test_query_goes_on_to_the_end(self):
        self.raw.make_zone("queried")
        names = {f"q{number}" for number in range(23)}
        self.raw.modify([
            {"operationType": "create", "record": {
                "recordName": name, "recordType": "Queried",
                "fields": {"number": {"value": int(name[1:]), "type": "INT64"}}}}
            for name in names], {"zoneName": "queried"})
        self.allow_queries("Queried")
        query = models.CKQueryObject(
            recordType="Queried",
            filterBy=[models.CKQueryFilterBy(
                comparator="GREATER_THAN_OR_EQUALS", fieldName="number",
                fieldValue=models.CKFVInt64(type="INT64", value=3))],
            sortBy=[models.CKQuerySortBy(fieldName="number", ascending=False)])
        found, marker, pages = [], None, 0
        while pages == 0 or marker:
            page = self.client.query(
                query=query, zone_id=models.CKZoneIDReq(zoneName="queried"), results_limit=6,
                continuation=marker)
            found += [record.fields.number.value for record in page.records]
            marker, pages = page.continuationMarker, pages + 1
        self.assertEqual(found, list(range(22, 2, -1)))
        self.assertGreaterEqual(pages, 4)

    def allow_queries(self, record_type):
        """Gives the type's field its indexes; only the container's owner can change a schema."""
        text = self.service.premises.command(
            "export-schema", CONTAINER, folder=self.service.folder)
        begin = text.index(f"RECORD TYPE {record_type} ")
        line = next(line for line in text[begin:].splitlines() if " INT64" in line)
        indexed = line.rstrip(",").rstrip() + " QUERYABLE SORTABLE,"
        path = self.service.folder / "schema.ckdb"
        path.write_text(text[:begin] + text[begin:].replace(line, indexed, 1))
        self.service.premises.command(
            "import-schema", CONTAINER, path, folder=self.service.folder)

    def test_changes_of_a_zone_to_the_end(self):
        self.raw.make_zone("followed")
        for begin in (0, 15):
            self.raw.modify([
                {"operationType": "create", "record": {
                    "recordName": f"f{number}", "recordType": "Followed", "fields": {}}}
                for number in range(begin, begin + 15)], {"zoneName": "followed"})
        self.raw.modify([
            {"operationType": "forceDelete", "record": {"recordName": "f3"}}],
            {"zoneName": "followed"})
        request = models.CKZoneChangesZoneReq(zoneID=models.CKZoneID(zoneName="followed"))
        pages = list(self.client.iter_changes(zone_req=request, results_limit=7))
        self.assertGreaterEqual(len(pages), 4)
        names = [record.recordName for page in pages for record in page.records]
        self.assertEqual(set(names), {f"f{number}" for number in range(30)})
        (gone,) = [
            record for page in pages for record in page.records if record.deleted]
        self.assertEqual(gone.recordName, "f3")
        request.syncToken = pages[-1].syncToken
        later = self.client.changes(zone_req=request)
        self.assertEqual(later.zones[0].records, [])
        with self.assertRaises(pyicloud.CloudKitApiError):
            self.client.changes(zone_req=models.CKZoneChangesZoneReq(
                zoneID=models.CKZoneID(zoneName="noSuchZone")))

    def test_zones_and_changes_of_the_database(self):
        before = self.client.database_changes()
        self.raw.make_zone("another")
        names = [zone.zoneID.zoneName for zone in self.client.zones_list().zones]
        self.assertIn("another", names)
        self.assertIn("_defaultZone", names)
        after = self.client.database_changes(sync_token=before.syncToken)
        self.assertEqual([zone.zoneID.zoneName for zone in after.zones], ["another"])
        self.raw.call("zones/modify", {"operations": [
            {"operationType": "delete", "zone": {"zoneID": {"zoneName": "another"}}}]})
        last = self.client.database_changes(sync_token=after.syncToken)
        self.assertEqual(
            [(zone.zoneID.zoneName, zone.deleted) for zone in last.zones], [("another", True)])

    def test_assets_up_and_down(self):
        contents = os.urandom(1_500_000)
        token = self.client.upload_asset(
            record_type="WithFile", field_name="file", record_name="filed", data=contents,
            zone_id=self.zone)
        self.assertEqual(token.size, len(contents))
        value = token.model_dump(mode="json", exclude_none=True)
        made = self.modify(
            "create", "filed", {"file": {"type": "ASSETID", "value": value}}, "WithFile")
        address = made.fields.file.value.downloadURL
        self.assertEqual(self.client.download_asset_bytes(address), contents)
        self.assertEqual(b"".join(self.client.download_asset_stream(address)), contents)
        # What was read can be saved back, including a list of files.
        read = made.fields.file.value.model_dump(mode="json", exclude_none=True)
        again = self.modify(
            "update", "filed", {"file": {"type": "ASSETID", "value": read}}, "WithFile",
            recordChangeTag=made.recordChangeTag)
        self.assertEqual(again.fields.file.value.fileChecksum, token.fileChecksum)
        tokens = [self.client.upload_asset(
            record_type="WithFile", field_name="files", record_name="files", data=data,
            zone_id=self.zone) for data in (b"one", b"canary two")]
        made = self.modify("create", "files", {"files": {"type": "ASSETID_LIST", "value": [
            one.model_dump(mode="json", exclude_none=True) for one in tokens]}}, "WithFile")
        self.assertEqual(
            [self.client.download_asset_bytes(one.downloadURL)
             for one in made.fields.files.value], [b"one", b"canary two"])

    def test_share_and_shared_zone(self):
        self.raw.make_zone("given")
        other = self.service.client("bob")
        name = other.call("users/current").json["userRecordName"]
        made = self.raw.modify([{"operationType": "create", "record": {
            "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share", "fields": {},
            "publicPermission": "NONE", "participants": [{
                "userIdentity": {"lookupInfo": {"userRecordName": name}}, "type": "USER",
                "permission": "READ_WRITE", "acceptanceStatus": "INVITED"}]}}],
            {"zoneName": "given"})
        self.assertIsNone(made.code, made)
        token = made.json["records"][0]["shortGUID"]
        self.service.secrets.append(token)
        other.call("records/accept", {"shortGUIDs": [{"value": token}]}, "public")
        client = self.make_client(other.token, "shared")
        (zone,) = [one.zoneID for one in client.zones_list().zones
                   if one.zoneID.zoneName == "given"]
        zone_id = models.CKZoneIDReq(**zone.model_dump(exclude_none=True))
        client.modify(operations=[models.CKModifyOperation(
            operationType="create", record=models.CKWriteRecord(
                recordName="g", recordType="Given",
                fields={"title": {"type": "STRING", "value": "canary", "isEncrypted": True}}))],
            zone_id=zone_id)
        share, record = client.lookup(
            ["cloudkit.zoneshare", "g"], zone_id=zone_id).records
        # The strict models recognize a share by its participants, its token only by the usual name.
        self.assertEqual(share.currentUserParticipant.acceptanceStatus, "ACCEPTED")
        self.assertEqual(record.share.recordName, "cloudkit.zoneshare")
        pages = list(client.iter_changes(zone_req=models.CKZoneChangesZoneReq(
            zoneID=models.CKZoneID(**zone.model_dump(exclude_none=True)))))
        self.assertEqual(len([one for page in pages for one in page.records]), 2)
        self.assertIn("given", [
            one.zoneID.zoneName for one in client.database_changes().zones])
