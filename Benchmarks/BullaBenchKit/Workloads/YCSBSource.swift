internal import BullaText

/// The operations of a core workload of YCSB.
///
/// They differ from those of YCSB's own clients in three ways; the first two make verification
/// possible. A change goes to a record of the lane's own, near the one drawn (see
/// ``WorkloadPlan``); YCSB's clients can change any record. `latest` draws from the loaded records
/// and the lane's own insertions; YCSB's also draws from those of the client's other threads. And
/// scans of workload E start at loaded records; YCSB's can also start at inserted ones.
final class YCSBSource: OperationSource {
    private let plan: WorkloadPlan
    private let mix: YCSBMix
    private let records: MappedRecords
    private let popular: ScrambledZipfian
    /// Draws the records of a mix that favours the latest ones; nil for other mixes.
    private var latest: SkewedLatest?
    private var versions: RecordVersions
    private var insertedCount = 0

    init(_ plan: WorkloadPlan, _ mix: YCSBMix, _ records: MappedRecords) {
        (self.plan, self.mix, self.records) = (plan, mix, records)
        popular = ScrambledZipfian(count: records.count)
        latest = mix.drawsLatest ? SkewedLatest(count: records.count) : nil
        versions = RecordVersions(records, fieldCount: plan.fieldCount)
    }

    func fill(_ list: inout OperationList, slice: Int, count: Int) {
        var random = plan.random(slice: slice)
        for _ in 0..<count { appendOperation(&list, &random) }
    }

    func takeChange() -> Digest { versions.takeChange() }

    func isTold(_ operation: Operation) -> Bool {
        switch operation {
        case .put, .update: mix.updateShare > 0
        case .readModifyWrite: true
        case .scan: mix.scanShare > 0
        case .read: mix.updateShare == 0 && mix.readModifyWriteShare == 0
        case .delete: false
        }
    }

    private func appendOperation(_ list: inout OperationList, _ random: inout Random) {
        var draw = random.unit()
        if draw < mix.readShare { return appendRead(&list, &random) }
        draw -= mix.readShare
        if draw < mix.updateShare { return appendUpdate(&list, &random) }
        draw -= mix.updateShare
        if draw < mix.insertShare { return appendInsert(&list) }
        draw -= mix.insertShare
        if draw < mix.scanShare { return appendScan(&list, &random) }
        appendReadModifyWrite(&list, &random)
    }

    private func appendRead(_ list: inout OperationList, _ random: inout Random) {
        let (key, byteCount) = place(ofRecord: draw(&random), &list)
        list.append(.read(key: key))
        list.expect(byteCount)
    }

    /// Changes one field (`writeallfields=false`); if the record has others, reads it to keep them.
    private func appendUpdate(_ list: inout OperationList, _ random: inout Random) {
        let (key, byteCount) = placeOfChange(&list, &random)
        guard plan.fieldCount > 1 else {
            return list.append(.put(key: key, value: list.values.count - 1))
        }
        list.append(.update(key: key, value: list.values.count - 1))
        list.expect(byteCount)
    }

    private func appendReadModifyWrite(_ list: inout OperationList, _ random: inout Random) {
        let (key, byteCount) = placeOfChange(&list, &random)
        list.append(.readModifyWrite(key: key, value: list.values.count - 1))
        list.expect(byteCount)
        list.expect(byteCount)
    }

    private func appendInsert(_ list: inout OperationList) {
        let key = insertedKey(insertedCount).withSpan { list.place(ofKey: $0) }
        var random = Random(plan.seed, UInt64(plan.lane), UInt64(insertedCount), 0x15E7)
        list.values.append { YCSBValue.append(insertedByteCount, &random, to: &$0) }
        let value = list.values.count - 1
        list.append(.put(key: key, value: value))
        list.keys.withBytes(key) { key in list.values.withBytes(value) { versions.add(key, $0) } }
        insertedCount += 1
        latest?.grow(to: records.count + insertedCount)
    }

    private func appendScan(_ list: inout OperationList, _ random: inout Random) {
        let (key, _) = place(ofRecord: draw(&random), &list)
        list.append(.scan(key: key, limit: ScanLength.next(&random)))
    }

    /// Draws the number of a record; the records that this lane inserted follow the loaded ones.
    private func draw(_ random: inout Random) -> Int {
        latest?.next(&random) ?? popular.next(&random)
    }

    private func place(
        ofRecord number: Int, _ list: inout OperationList
    ) -> (key: Int, valueByteCount: Int) {
        if number < records.count {
            let key = records.withKey(number) { list.place(ofKey: $0) }
            return (key, records.withValue(number) { $0.byteCount })
        }
        let key = insertedKey(number - records.count).withSpan { list.place(ofKey: $0) }
        return (key, insertedByteCount)
    }

    private func placeOfChange(
        _ list: inout OperationList, _ random: inout Random
    ) -> (key: Int, valueByteCount: Int) {
        let own = plan.own(draw(&random), of: records.count)
        versions.advance(own, into: &list.values)
        return place(ofRecord: own, &list)
    }

    /// The key of a lane's insertion; inserted records are numbered after the loaded ones, and each
    /// of n lanes takes every n-th of these numbers, as in YCSB.
    private func insertedKey(_ number: Int) -> [UInt8] {
        var key: [UInt8] = []
        let lanes = plan.laneCount * plan.shard.count
        let lane = plan.shard.index * plan.laneCount + plan.lane
        YCSBKey.append(Self.firstInserted + UInt64(number * lanes + lane), to: &key)
        return key
    }

    private var insertedByteCount: Int { plan.fieldCount * plan.fieldByteCount }

    /// The number of the first insertion: greater than every number that a load uses.
    private static let firstInserted: UInt64 = 1 << 40
}

/// A core workload of YCSB: the operations, their shares, and the records that they draw.
///
/// - Source: YCSB 0.17, `workloads/workloada` to `workloadf` and `CoreWorkload`; Cooper et al.,
///   "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010, table 2.
package struct YCSBMix: Sendable {
    package var readShare = 0.0
    package var updateShare = 0.0
    package var insertShare = 0.0
    package var scanShare = 0.0
    package var readModifyWriteShare = 0.0
    /// Whether the newest records are drawn most often; otherwise, popular records of any age are.
    package var drawsLatest = false

    static let published: [Workload: YCSBMix] = [
        .ycsbA: YCSBMix(readShare: 0.5, updateShare: 0.5),
        .ycsbB: YCSBMix(readShare: 0.95, updateShare: 0.05),
        .ycsbC: YCSBMix(readShare: 1),
        .ycsbD: YCSBMix(readShare: 0.95, insertShare: 0.05, drawsLatest: true),
        .ycsbE: YCSBMix(insertShare: 0.05, scanShare: 0.95),
        .ycsbF: YCSBMix(readShare: 0.5, readModifyWriteShare: 0.5),
    ]

    package var writes: Bool { updateShare + insertShare + readModifyWriteShare > 0 }

    /// The operation whose latency is shown: a mix's median would jump between reads and commits.
    package var toldOperation: String {
        if updateShare > 0 { return "update" }
        if readModifyWriteShare > 0 { return "read-modify-write" }
        return scanShare > 0 ? "scan" : "read"
    }
}
