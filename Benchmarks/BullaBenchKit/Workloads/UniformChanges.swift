/// Changes of records drawn uniformly from the lane's own.
final class UniformChanges: OperationSource {
    private let plan: WorkloadPlan
    private let records: MappedRecords
    private var versions: RecordVersions

    init(_ plan: WorkloadPlan, _ records: MappedRecords) {
        self.plan = plan
        self.records = records
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
