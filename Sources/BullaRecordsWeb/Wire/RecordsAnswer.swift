/// The answer of `records/modify`, `records/lookup` and `records/query`.
package struct RecordsAnswer: Sendable {
    package var records: [RecordAnswer]
    /// The position from which the query continues; `nil` at its end.
    package var continuationMarker: [UInt8]?

    package init(_ records: [RecordAnswer], continuationMarker: [UInt8]? = nil) {
        self.records = records
        self.continuationMarker = continuationMarker
    }

    package func bytes(_ form: AnswerForm) -> [UInt8] {
        answer(records.count * 1_024) { writer in
            writer.list("records", records) { $0.append(to: &$1, form) }
            if let continuationMarker {
                writer.member("continuationMarker", token: continuationMarker)
            }
        }
    }
}
