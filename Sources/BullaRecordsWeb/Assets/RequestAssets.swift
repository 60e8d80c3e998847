import BullaRecords
internal import Synchronization

/// Finds the assets to which the dictionaries of one request refer.
///
/// A dictionary with a receipt refers to a file that was uploaded for the dictionary's field, or
/// that `assets/rereference` has offered for that field. A dictionary without a receipt refers to
/// an asset that the field already holds: clients also save fields that they have read but not
/// changed.
final class RequestAssets: Sendable {
    typealias RecordFinder = @Sendable (RecordIdentifier) -> Record?

    private struct Field: Hashable {
        let record: RecordIdentifier
        let name: String
    }

    private let account: AccountIdentifier?
    private let tickets: WebTickets
    private let record: RecordFinder
    /// The assets, by their checksums, of the field that was looked up last.
    ///
    /// They are kept so that a field with a list of assets is looked up only once.
    private let last = Mutex<(field: Field, assets: [String: AssetDescriptor])?>(nil)

    init(
        _ account: AccountIdentifier?, _ tickets: WebTickets, record: @escaping RecordFinder
    ) {
        (self.account, self.tickets, self.record) = (account, tickets, record)
    }

    /// - Throws: `invalidArguments`, which says what is wrong with the dictionary.
    func asset(_ wire: WireAsset, _ place: AssetPlace) throws(RecordError) -> AssetDescriptor {
        guard let receipt = wire.receipt else { return try heldAsset(wire, place) }
        let body: [UInt8]
        do throws(WebTickets.Fault) { body = try tickets.body(.receipt, receipt) } catch {
            switch error {
            case .foreign: throw Self.refused(place, "its receipt is not from this service")
            case .over: throw Self.refused(place, "its receipt is too old: upload the file again")
            case .failed(let error): throw error
            }
        }
        guard let receipt = UploadReceipt(body) else {
            throw Self.refused(place, "its receipt is not from this service")
        }
        if let difference = receipt.grant.difference(from: account, place) {
            throw Self.refused(place, "its receipt is for another \(difference)")
        }
        guard wire.fileChecksum ?? receipt.asset.checksum == receipt.asset.checksum else {
            throw Self.refused(place, "its receipt is for another file")
        }
        return receipt.asset
    }

    private func heldAsset(
        _ wire: WireAsset, _ place: AssetPlace
    ) throws(RecordError) -> AssetDescriptor {
        guard let name = place.recordName, let checksum = wire.fileChecksum,
            let asset = assets(
                of: Field(record: RecordIdentifier(name, in: place.zone), name: place.field)
            )[checksum]
        else { throw Self.refused(place, "it has no receipt, and the field does not hold it") }
        return asset
    }

    private func assets(of field: Field) -> [String: AssetDescriptor] {
        last.withLock { last in
            if let last, last.field == field { return last.assets }
            let value = try? record(field.record)?.value(of: field.name)
            var assets: [String: AssetDescriptor] = [:]
            for case .asset(let asset) in value?.elements ?? [] { assets[asset.checksum] = asset }
            last = (field, assets)
            return assets
        }
    }

    private static func refused(_ place: AssetPlace, _ reason: String) -> RecordError {
        RecordError(
            .invalidArguments, "use an asset for field '\(place.field.told)': \(reason)")
    }
}
