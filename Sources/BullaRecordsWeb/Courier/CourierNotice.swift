import BullaRecords

/// The notice for a client that waits for changes.
///
///     {"aps":{"content-available":1},"ck":{"cid":"iCloud.x","ce":2,"fet":{"dbs":2}}}
///
/// `cid` names the container, and `ce` its environment (1 production, 2 development). `dbs` is
/// always 2, the private database, even if the changed zone is another user's. If nothing changes
/// in time, the client gets `{}` and asks again.
enum CourierNotice {
    static let nothing = answer { _ in }

    static func changed(_ place: Place) -> [UInt8] {
        answer { writer in
            writer.key("aps")
            writer.beginObject()
            writer.key("content-available")
            writer.int64(1)
            writer.endObject()
            writer.key("ck")
            writer.beginObject()
            writer.member("cid", place.container)
            writer.key("ce")
            writer.int64(place.environment == .production ? 1 : 2)
            writer.key("fet")
            writer.beginObject()
            writer.key("dbs")
            writer.int64(Int64(DatabaseScope.private.rawValue))
            writer.endObject()
            writer.endObject()
        }
    }
}
