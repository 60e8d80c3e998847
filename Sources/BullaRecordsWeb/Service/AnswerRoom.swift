import BullaRecords

/// Shortens answers that exceed the size limit.
extension RecordsAnswer {
    /// The answer as bytes.
    ///
    /// - Parameter shortened: makes a replacement for a record that does not fit.
    func bytes(
        within byteCount: Int, _ form: AnswerForm, _ shortened: (AnsweredRecord) -> RecordAnswer
    ) -> [UInt8] {
        let bytes = bytes(form)
        guard bytes.count > byteCount else { return bytes }
        var answer = self
        var left = byteCount
        for index in records.indices {
            left -= records[index].byteCount(form) + 1
            if left < 0, case .record(let record) = records[index] {
                answer.records[index] = shortened(record)
            }
        }
        return answer.bytes(form)
    }

    /// How many records to keep in an answer that has no space for its first `most` records.
    ///
    /// The result is less than `most`, which must be at least two. It is at least one, even if the
    /// first record alone does not fit.
    func count(within byteCount: Int, _ form: AnswerForm, of most: Int) -> Int {
        var left = byteCount
        let count = records.prefix(most).prefix { record in
            left -= record.byteCount(form) + 1
            return left >= 0
        }.count
        return max(1, min(count, most - 1))
    }
}

extension RecordAnswer {
    func byteCount(_ form: AnswerForm) -> Int {
        var writer = JSONWriter()
        append(to: &writer, form)
        return writer.bytes.count
    }
}
