import Bulla
import BullaTestSupport

extension ReadChecks {
    /// Compares the entries that a scan lends in runs.
    func scanRuns(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree, _ range: ModelRange,
        descending: Bool, limit: Int
    ) throws {
        let expected = model.entries(range, descending: descending, limit: limit)
        var count = 0
        // The indices of entries with large values, which are read afterwards.
        var large: [Int] = []
        try reader.scanRuns(
            tree, range.keyRange, order: descending ? .descending : .ascending
        ) { bytes, entries in
            try context.check(!entries.isEmpty, "scanRuns of \(range) lends an empty run")
            for index in entries.indices {
                guard count < limit else { return .stop }
                try context.check(
                    count < expected.count
                        && Self.isEqual(entries[index], in: bytes, expected[count]),
                    "scanRuns of \(range), descending \(descending), differs at entry \(count)")
                if entries[index].value == nil { large.append(count) }
                count += 1
            }
            return count < limit ? .next : .stop
        }
        try context.check(
            count == expected.count,
            "scanRuns of \(range), descending \(descending), gave \(count) of \(expected.count)")
        for number in large.prefix(8) {
            let value = try reader.value(forKey: expected[number].key, in: tree)
            try context.check(
                value == expected[number].value,
                "the large value of key \(ModelContext.name(expected[number].key))")
        }
    }

    private static func isEqual(
        _ place: EntryPlace, in bytes: RawSpan, _ expected: SortedModel.Entry
    ) -> Bool {
        guard bytes.extracting(place.key).equals(expected.key),
            place.valueByteCount == expected.value.count
        else { return false }
        guard let value = place.value else { return true }
        return bytes.extracting(value).equals(expected.value)
    }
}
