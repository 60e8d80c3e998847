import BullaMemory
import BullaRecords

/// The permission to read a file for as long as a record holds it.
struct DownloadGrant: Hashable, Sendable {
    let record: RecordIdentifier
    let asset: AssetDescriptor

    init(_ asset: AssetDescriptor, of record: RecordIdentifier) {
        (self.asset, self.record) = (asset, record)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        ValueCoding.append(record, to: &bytes)
        ValueCoding.append(.asset(asset), to: &bytes)
        return bytes
    }

    init?(_ bytes: [UInt8]) {
        let read = bytes.withView { view -> DownloadGrant? in
            var cursor = ByteCursor(view)
            guard let record = ValueCoding.record(&cursor),
                case .asset(let asset) = ValueCoding.next(&cursor), cursor.isAtEnd
            else { return nil }
            return DownloadGrant(asset, of: record)
        }
        guard let read else { return nil }
        self = read
    }
}

/// A grant contains the key of the file.
extension DownloadGrant: Untold {
    var description: String { "permission to read a file" }
}
