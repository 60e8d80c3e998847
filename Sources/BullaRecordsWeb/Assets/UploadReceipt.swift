import BullaMemory
import BullaRecords

/// The receipt for a file that was uploaded, or that a record already holds: the asset, and the
/// permission to save it in a field.
struct UploadReceipt: Hashable, Sendable {
    let grant: UploadGrant
    let asset: AssetDescriptor

    init(_ grant: UploadGrant, _ asset: AssetDescriptor) {
        (self.grant, self.asset) = (grant, asset)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        grant.append(to: &bytes)
        ValueCoding.append(.asset(asset), to: &bytes)
        return bytes
    }

    init?(_ bytes: [UInt8]) {
        let read = bytes.withView { view -> UploadReceipt? in
            var cursor = ByteCursor(view)
            guard let grant = UploadGrant(&cursor),
                case .asset(let asset) = ValueCoding.next(&cursor), cursor.isAtEnd
            else { return nil }
            return UploadReceipt(grant, asset)
        }
        guard let read else { return nil }
        self = read
    }
}

/// A receipt contains the key of the file.
extension UploadReceipt: Untold {
    var description: String { "the receipt of an upload" }
}
