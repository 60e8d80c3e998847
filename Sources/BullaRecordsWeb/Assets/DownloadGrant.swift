import BullaMemory
import BullaRecords

/// The permission to read a file, with the zone of the record that holds the file.
struct DownloadGrant: Hashable, Sendable {
    let zone: ZoneIdentifier
    let asset: AssetDescriptor

    init(_ asset: AssetDescriptor, in zone: ZoneIdentifier) {
        (self.asset, self.zone) = (asset, zone)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        ValueCoding.append(RecordIdentifier("", in: zone), to: &bytes)
        ValueCoding.append(.asset(asset), to: &bytes)
        return bytes
    }

    init?(_ bytes: [UInt8]) {
        let read = bytes.withView { view -> DownloadGrant? in
            var cursor = ByteCursor(view)
            guard let record = ValueCoding.record(&cursor),
                case .asset(let asset) = ValueCoding.next(&cursor), cursor.isAtEnd
            else { return nil }
            return DownloadGrant(asset, in: record.zone)
        }
        guard let read else { return nil }
        self = read
    }
}

/// A grant contains the key of the file.
extension DownloadGrant: Untold {
    var description: String { "permission to read a file" }
}
