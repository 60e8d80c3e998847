internal import BullaText

/// Changes of records that are drawn uniformly from the lane's own records.
final class UniformChanges: OperationSource {
    private let plan: WorkloadPlan
    private let records: MappedRecords
    private var versions: RecordVersions

    init(_ plan: WorkloadPlan, _ records: MappedRecords) {
        (self.plan, self.records) = (plan, records)
        versions = RecordVersions(records)
    }

    func fill(_ list: inout OperationList, slice: Int, count: Int) {
        var random = plan.random(slice: slice)
        for _ in 0..<count {
            let index = plan.own(random.below(records.count), of: records.count)
            let key = records.withKey(index) { list.place(ofKey: $0) }
            versions.advance(index, into: &list.values)
            list.append(.put(key: key, value: list.values.count - 1))
        }
    }

    func takeChange() -> Digest { versions.takeChange() }
}

/// The values that a lane's changes give its records.
///
/// Version 0 is the record as loaded. Each later version overwrites the start of the next field, in
/// a cycle, with up to 16 digits that no other version has there. So a value keeps its length and
/// most of its content, and the number of its changes determines what a record must contain.
struct RecordVersions {
    private let records: MappedRecords
    private let fieldCount: Int
    private var versions: [Int: UInt64] = [:]

    private(set) var change = Digest()

    init(_ records: MappedRecords, fieldCount: Int = 1) {
        (self.records, self.fieldCount) = (records, fieldCount)
    }

    /// Advances record `index` to its next version, and appends the new value to `values`.
    mutating func advance(_ index: Int, into values: inout ByteRun) {
        let version = versions[index, default: 0]
        versions[index] = version + 1
        let old = bytes(index, version: version)
        let new = bytes(index, version: version + 1)
        records.withKey(index) { key in
            change.remove(old.withSpan { RecordHash.hash(key, $0) })
            change.add(new.withSpan { RecordHash.hash(key, $0) })
        }
        values.append { $0.append(contentsOf: new) }
    }

    mutating func add(_ key: RawSpan, _ value: RawSpan) { change.add(RecordHash.hash(key, value)) }

    mutating func takeChange() -> Digest {
        defer { change = Digest() }
        return change
    }

    private func bytes(_ index: Int, version: UInt64) -> [UInt8] {
        var bytes = records.withValue(index) { [UInt8]($0) }
        let latest = version > UInt64(fieldCount) ? version - UInt64(fieldCount) + 1 : 1
        for version in latest..<max(version + 1, latest) { Self.mark(&bytes, version, fieldCount) }
        return bytes
    }

    private static func mark(_ bytes: inout [UInt8], _ version: UInt64, _ fieldCount: Int) {
        let field = Int(version % UInt64(fieldCount))
        let place = bytes.count / fieldCount * field
        let mark = Hex.digits(of: Random.mixed(version))
        let count = min(mark.count, bytes.count - place)
        bytes.replaceSubrange(place..<place + count, with: mark[..<count])
    }
}
