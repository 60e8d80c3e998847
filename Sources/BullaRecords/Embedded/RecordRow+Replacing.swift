internal import Bulla

extension WriteTransaction {
    /// Replaces what is stored under a record's name, in the feed and the indexes as well.
    ///
    /// Before this call, the caller must count one more holder for each asset that only the new row
    /// holds. This call counts one holder fewer for each asset that only the former row held.
    mutating func replace(
        _ former: RecordRow?, _ name: String, with row: RecordRow, in zone: ZoneLife
    ) throws {
        if let former {
            try takeOut(former, name, zone)
            for asset in former.assets.subtracting(row.assets) { try letGo(asset) }
        }
        let bytes = Array(name.utf8)
        guard try insert(bytes, EmbeddedKey.feed(row.version, zone), in: .feed) else {
            throw RecordError(.damaged, "change zone \(zone.name): its head is behind its feed")
        }
        switch row.state {
        case .entry(let entry):
            for place in entry.indexes { try put([], EmbeddedKey.index(place, zone), in: .index) }
            for edge in entry.references {
                let prefix = EmbeddedKey.referrers(edge.target, edge.action, zone)
                try put([], prefix + bytes, in: .referrers)
            }
        case .deleted(_, let time):
            try put(bytes, EmbeddedKey.deletion(time, row.version, zone), in: .deletions)
        }
        try put(row.bytes, EmbeddedKey.record(name, zone), in: .records)
    }

    /// Removes a record's keys from the feed, the indexes, the references and the deletions.
    private mutating func takeOut(
        _ row: RecordRow, _ name: String, _ zone: ZoneLife
    ) throws(BullaError) {
        try delete(EmbeddedKey.feed(row.version, zone), in: .feed)
        switch row.state {
        case .deleted(_, let time):
            try delete(EmbeddedKey.deletion(time, row.version, zone), in: .deletions)
        case .entry(let entry):
            for place in entry.indexes { try delete(EmbeddedKey.index(place, zone), in: .index) }
            for edge in entry.references {
                let prefix = EmbeddedKey.referrers(edge.target, edge.action, zone)
                try delete(prefix + Array(name.utf8), in: .referrers)
            }
        }
    }

    /// Remembers that a batch was committed.
    mutating func remember(
        _ batch: RandomIdentifier, first: UInt64, time: Int64, in zone: ZoneLife
    ) throws(BullaError) {
        var row: [UInt8] = []
        row.append(sorted: first)
        try put(row, EmbeddedKey.batch(batch, zone), in: .batches)
        let note = batch.bytes + EmbeddedKey.time(time, [])
        try put(note, EmbeddedKey.feed(first, zone), in: .batchFeed)
    }

    /// Lists in the batch feed some batches that an earlier build has listed by their times.
    ///
    /// Until a batch is in the feed, it is neither moved nor forgotten.
    mutating func takeOverBatches() throws {
        let (count, limit) = (RandomIdentifier.byteCount, 16)
        var times: [[UInt8]] = []
        try visit(.batchTimes, .all) { key, _ in
            times.append(key)
            return times.count < limit ? .next : .stop
        }
        for key in times {
            try delete(key, in: .batchTimes)
            let (time, batch) = (key.prefix(8), Array(key.dropFirst(8)))
            // Skip a batch that is no longer in `batches`, because its life of the zone has ended.
            guard batch.count == 2 * count, let first = try value(batch, in: .batches),
                first.count == 8
            else { continue }
            try put(
                Array(batch.dropFirst(count) + time), Array(batch.prefix(count) + first),
                in: .batchFeed)
        }
    }
}
