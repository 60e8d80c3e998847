/// Writes what workloads ask for as a trace.
package struct TraceRecorder {
    private let options: RecordOptions
    private let seed: UInt64

    package init(_ options: RecordOptions, seed: UInt64) {
        self.options = options
        self.seed = seed
    }

    /// Writes the operations of each workload, one behind the other.
    package func record(
        _ workloads: [Workload], operationCount: Int, to path: String
    ) throws {
        guard options.count >= 2, operationCount > 0 else {
            throw BenchError(.usage, "record needs --records of 2 or more and some --operations")
        }
        let file = try Descriptor.replace(path)
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let table = YCSBRecords.table(options, seed: seed)
        let source = try Source(name: "trace", table, to: scratch.file("records"), seed: seed)
        let records = try MappedRecords(path: source.path)
        try file.write(Array((TraceFile.heading + "\n").utf8))
        for workload in workloads {
            let source = try self.source(workload, records)
            try write(source, operationCount, to: file)
        }
    }

    private func source(
        _ workload: Workload, _ records: MappedRecords
    ) throws -> any OperationSource {
        var plan = WorkloadPlan(workload, lane: 0, laneCount: 1, seed: seed)
        (plan.fieldCount, plan.fieldByteCount) = (options.fieldCount, options.fieldByteCount)
        if let mix = workload.ycsb { return YCSBSource(plan, mix, records) }
        guard workload == .smallCommit else {
            throw BenchError(
                .usage, "record writes ycsb-a to ycsb-f and small-commit, not \(workload.rawValue)")
        }
        return UniformChanges(plan, records)
    }

    private func write(
        _ source: any OperationSource, _ count: Int, to file: Descriptor
    ) throws {
        var list = OperationList()
        for (slice, first) in stride(from: 0, to: count, by: 10_000).enumerated() {
            list.removeAll()
            source.fill(&list, slice: slice, count: min(10_000, count - first))
            let lines = list.operations.flatMap { Self.lines($0, list) }
            try file.write(Array(lines.map { $0.text + "\n" }.joined().utf8))
        }
    }

    private static func lines(_ operation: Operation, _ list: OperationList) -> [TraceLine] {
        let key = { (place: Int) in list.keys.withBytes(place) { [UInt8]($0) } }
        let size = { (place: Int) in list.values.withBytes(place) { $0.byteCount } }
        return switch operation {
        case .read(let place): [TraceLine(.read, key(place))]
        case .scan(let place, let limit): [TraceLine(.scan, key(place), limit)]
        case .put(let place, let value): [TraceLine(.put, key(place), size(value))]
        case .update(let place, let value): [TraceLine(.update, key(place), size(value))]
        case .readModifyWrite(let place, let value):
            [TraceLine(.read, key(place)), TraceLine(.update, key(place), size(value))]
        case .delete(let place): [TraceLine(.delete, key(place))]
        }
    }
}
