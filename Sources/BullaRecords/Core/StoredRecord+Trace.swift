extension StoredRecord {
    /// The type, and the shares that the record has left, including those that it left by being
    /// deleted.
    package var trace: DeletionTrace {
        switch content {
        case .record(let bytes):
            guard let record = SealedRecord(bytes) else { return DeletionTrace("", []) }
            return DeletionTrace(record.type, record.traces)
        case .deleted(let text, _):
            let trace = DeletionTrace(text)
            return DeletionTrace(
                trace.type,
                trace.traces.map { trace in
                    trace.change == ShareTrace.isDeletion
                        ? ShareTrace(trace.share, change: version) : trace
                })
        }
    }

    /// The traces that a record of the given type gets when it takes the place of this one.
    func traces(for type: String) -> [ShareTrace] {
        let former = trace
        return former.traces.map { trace in
            let known = trace.type ?? former.type
            return ShareTrace(trace.share, change: trace.change, type: known == type ? nil : known)
        }
    }
}
