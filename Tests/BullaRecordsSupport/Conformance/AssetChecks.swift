import BullaRecords
import BullaTestSupport
import Testing

extension ConformanceCheck {
    static let assets = [
        ConformanceCheck("chunks that no record holds are kept, in any order after the first") {
            bench throws in
            let (asset, other) = (bench.identifier(), bench.identifier())
            #expect(try bench.backend.chunk(0, of: asset) == nil)
            for index in [0, 2, 256, .max] as [UInt32] {
                try bench.backend.put([UInt8(index % 250)], index, of: asset, time: bench.time)
            }
            try bench.backend.put([7], 0, of: other, time: bench.time)
            #expect(try bench.backend.chunk(2, of: asset) == [2])
            #expect(try bench.backend.chunk(256, of: asset) == [6])
            #expect(try bench.backend.chunk(.max, of: asset) == [UInt8(UInt32.max % 250)])
            #expect(try bench.backend.chunk(1, of: asset) == nil)
            #expect(try bench.backend.chunk(0, of: other) == [7])
            try bench.backend.put([8, 9], 2, of: asset, time: bench.time)
            #expect(try bench.backend.chunk(2, of: asset) == [8, 9])
        },
        ConformanceCheck("a chunk of a mebibyte, and an empty one, are given back whole") {
            bench throws in
            let asset = bench.identifier()
            let chunk = bench.random.bytes(1 << 20 + 28)
            try bench.backend.put(chunk, 0, of: asset, time: bench.time)
            try bench.backend.put([], 1, of: asset, time: bench.time)
            #expect(try bench.backend.chunk(0, of: asset) == chunk)
            #expect(try bench.backend.chunk(1, of: asset) == [])
        },
        ConformanceCheck("a buffer takes one chunk after the other, longer and shorter ones") {
            bench throws in
            let asset = bench.identifier()
            let chunks = [9_000, 9_000, 0, 7, 40_000].map { bench.random.bytes($0) }
            for (index, chunk) in chunks.enumerated() {
                try bench.backend.put(chunk, UInt32(index), of: asset, time: bench.time)
            }
            var buffer: [UInt8] = [1, 2, 3]
            for (index, chunk) in chunks.enumerated() {
                #expect(try bench.backend.readChunk(UInt32(index), of: asset, into: &buffer))
                #expect(buffer == chunk)
                // The reader may overwrite what it has read.
                for place in buffer.indices { buffer[place] = 0xFF }
            }
            #expect(try bench.backend.chunk(0, of: asset) == chunks[0])
            #expect(try !bench.backend.readChunk(5, of: asset, into: &buffer))
        },
        ConformanceCheck("chunks that are put at once follow each other, over what was there") {
            bench throws in
            let (asset, time) = (bench.identifier(), bench.time)
            let chunks = [70_000, 0, 3, 9_000].map { bench.random.bytes($0) }
            try bench.backend.put([0], 0, of: asset, time: time)
            try bench.backend.put(chunks, from: 255, of: asset, time: time)
            for (place, chunk) in chunks.enumerated() {
                #expect(try bench.backend.chunk(255 + UInt32(place), of: asset) == chunk)
            }
            for beyond in [254, 259] as [UInt32] {
                #expect(try bench.backend.chunk(beyond, of: asset) == nil)
            }
            for _ in 0..<2 {
                try bench.backend.put([[1], [2], [3]], from: 257, of: asset, time: time)
                #expect(try bench.backend.chunk(256, of: asset) == chunks[1])
                #expect(try bench.backend.chunk(257, of: asset) == [1])
                #expect(try bench.backend.chunk(259, of: asset) == [3])
            }
            try bench.backend.put([[4]], from: .max, of: asset, time: time)
            #expect(try bench.backend.chunk(.max, of: asset) == [4])
            // All the chunks have the same time, and are freed together.
            #expect(try bench.backend.freeOrphans(before: time) == 0)
            #expect(try bench.backend.freeOrphans(before: time + 1) == 1)
            #expect(try bench.backend.chunk(258, of: asset) == nil)
            // The asset's identifier is free again; its chunks start anew, not after those that are
            // gone.
            let more: [[UInt8]] = [[5], [6]]
            #expect(
                try bench.code { try $0.put(more, from: 1, of: asset, time: time) }
                    == .assetNotFound)
            try bench.backend.put(more, from: 0, of: asset, time: time)
            #expect(try bench.backend.chunk(1, of: asset) == [6])
            #expect(try bench.backend.chunk(2, of: asset) == nil)
            #expect(try bench.backend.chunk(257, of: asset) == nil)
        },
        ConformanceCheck("an asset that a record holds takes no more chunks") { bench throws in
            let zone = try bench.zone()
            let asset = try bench.asset()
            try bench.hold([asset], by: "record", in: zone)
            let time = bench.time
            #expect(
                try bench.code { try $0.put([9], 0, of: asset, time: time) } == .invalidArguments)
            #expect(
                try bench.code { try $0.put([9], 1, of: asset, time: time) } == .invalidArguments)
            let several: [[UInt8]] = [[9], [9]]
            #expect(
                try bench.code { try $0.put(several, from: 1, of: asset, time: time) }
                    == .invalidArguments)
            #expect(try bench.backend.chunk(0, of: asset) == [1])
            for index in [1, 2] as [UInt32] {
                #expect(try bench.backend.chunk(index, of: asset) == nil)
            }
        },
        ConformanceCheck("a record cannot hold an asset that is not there, and nothing changes") {
            bench throws in
            let zone = try bench.zone()
            let (asset, none) = (try bench.asset(), bench.identifier())
            let changes = [
                BackendBatch.Change("a", expected: .anything, entry: bench.entry(assets: [asset])),
                BackendBatch.Change("b", expected: .anything, entry: bench.entry(assets: [none])),
            ]
            let batch = bench.batch(changes, in: zone)
            #expect(try bench.backend.commit(batch) == .lostAssets([1]))
            #expect(try bench.headVersion(of: zone) == 0)
            #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == nil)
            #expect(try bench.backend.freeOrphans(before: .max) == 1)
        },
        ConformanceCheck("an asset that two records hold goes with the second") { bench throws in
            let (zone, other) = (try bench.zone("one"), try bench.zone("other"))
            let asset = try bench.asset()
            try bench.hold([asset], by: "a", in: zone)
            try bench.hold([asset], by: "b", in: other)
            #expect(try bench.backend.assets(heldBy: "a", in: zone) == [asset])
            #expect(try bench.backend.assets(heldBy: "b", in: zone) == [])
            try bench.delete("a", in: zone)
            #expect(try bench.backend.assets(heldBy: "a", in: zone) == [])
            #expect(try bench.backend.assets(heldBy: "b", in: other) == [asset])
            #expect(try bench.backend.chunk(0, of: asset) == [1])
            #expect(try bench.backend.freeOrphans(before: .max) == 0)
            try bench.save("b", in: other)
            #expect(try bench.backend.assets(heldBy: "b", in: other) == [])
            #expect(try bench.backend.chunk(0, of: asset) == nil)
            #expect(try bench.backend.freeOrphans(before: .max) == 0)
            // The asset's identifier is free again, and its chunks start anew.
            try bench.backend.put([5], 0, of: asset, time: bench.time)
            #expect(try bench.backend.chunk(0, of: asset) == [5])
        },
        ConformanceCheck("a record that is replaced keeps the assets that it still has") {
            bench throws in
            let zone = try bench.zone()
            let (kept, lost, new) = (try bench.asset(), try bench.asset(), try bench.asset())
            try bench.hold([kept, lost], by: "record", in: zone)
            try bench.hold([kept, new], by: "record", in: zone)
            #expect(try bench.backend.chunk(0, of: kept) == [1])
            #expect(try bench.backend.chunk(0, of: lost) == nil)
            #expect(try bench.backend.chunk(0, of: new) == [1])
            for _ in 0..<3 { try bench.hold([kept], by: "record", in: zone) }
            #expect(try bench.backend.chunk(0, of: new) == nil)
            try bench.delete("record", in: zone)
            #expect(try bench.backend.chunk(0, of: kept) == nil)
        },
        ConformanceCheck("an asset goes from one record to another within a batch") {
            bench throws in
            let zone = try bench.zone()
            let asset = try bench.asset()
            try bench.hold([asset], by: "b", in: zone)
            for (giver, taker) in [("b", "a"), ("a", "b")] {
                for isGivenFirst in [true, false] {
                    let back = isGivenFirst ? (giver, taker) : (taker, giver)
                    let giving = BackendBatch.Change(back.0, expected: .anything, entry: nil)
                    let taking = BackendBatch.Change(
                        back.1, expected: .anything, entry: bench.entry(assets: [asset]))
                    try bench.commit(isGivenFirst ? [giving, taking] : [taking, giving], in: zone)
                    #expect(try bench.backend.chunk(0, of: asset) == [1])
                }
            }
            #expect(try bench.backend.freeOrphans(before: .max) == 0)
            for name in ["a", "b"] { try bench.delete(name, in: zone) }
            #expect(try bench.backend.chunk(0, of: asset) == nil)
        },
        ConformanceCheck("an asset is held by records of its own database only") { bench throws in
            let zone = try bench.zone()
            let other = try bench.zone("zone", in: bench.database())
            let (held, waiting) = (try bench.asset(), try bench.asset())
            try bench.hold([held], by: "record", in: zone)
            for asset in [held, waiting] {
                let change = BackendBatch.Change(
                    "record", expected: .anything, entry: bench.entry(assets: [asset]))
                let outcome = try bench.commit([change], in: other)
                #expect(outcome == .lostAssets([0]))
            }
            let (time, more): (Int64, [[UInt8]]) = (bench.time, [[2]])
            #expect(
                try bench.code {
                    try $0.put(more, from: 1, of: waiting, in: other.database, time: time)
                } == .invalidArguments)
            try bench.hold([held, waiting], by: "second", in: zone)
            for name in ["record", "second"] { try bench.delete(name, in: zone) }
            #expect(try bench.backend.chunk(0, of: held) == nil)
            #expect(try bench.backend.chunk(0, of: waiting) == nil)
        },
        ConformanceCheck("orphans are freed by the time of their last chunk", orphans),
        ConformanceCheck("a zone that ends lets go of what its records hold") { bench throws in
            let (zone, other) = (try bench.zone("one"), try bench.zone("other"))
            let (own, shared, orphan) = (try bench.asset(), try bench.asset(), try bench.asset())
            try bench.hold([own, shared], by: "a", in: zone)
            try bench.hold([shared], by: "b", in: zone)
            try bench.hold([shared], by: "c", in: other)
            #expect(try bench.backend.assets(heldBy: "a", in: zone) == [own, shared])
            #expect(try bench.backend.delete(zone))
            #expect(try bench.backend.assets(heldBy: "a", in: zone) == [])
            #expect(try bench.backend.chunk(0, of: own) == nil)
            #expect(try bench.backend.chunk(0, of: shared) == [1])
            #expect(try bench.backend.chunk(0, of: orphan) == [1])
            #expect(try bench.backend.delete(other))
            #expect(try bench.backend.chunk(0, of: shared) == nil)
        },
    ]

    private static func orphans(_ bench: inout BackendBench) throws {
        let zone = try bench.zone()
        let start = bench.time
        let (old, new, held) = (try bench.asset(), bench.identifier(), try bench.asset())
        let (growing, ancient) = (try bench.asset(), bench.identifier())
        try bench.hold([held], by: "record", in: zone)
        try bench.backend.put([2], 0, of: ancient, time: -5)
        try bench.backend.put([2], 0, of: new, time: start + 10)
        try bench.backend.put([2], 1, of: growing, time: start + 10)
        // A clock that goes back makes nothing older.
        try bench.backend.put([2], 2, of: growing, time: start - 10)
        #expect(try bench.backend.freeOrphans(before: -5) == 0)
        #expect(try bench.backend.freeOrphans(before: 0) == 1)
        #expect(try bench.backend.freeOrphans(before: start) == 0)
        #expect(try bench.backend.freeOrphans(before: start + 1) == 1)
        #expect(try bench.backend.chunk(0, of: old) == nil)
        for asset in [new, held, growing] {
            #expect(try bench.backend.chunk(0, of: asset) != nil)
        }
        #expect(try bench.backend.freeOrphans(before: .max) == 2)
        #expect(try bench.backend.chunk(1, of: growing) == nil)
        #expect(try bench.backend.chunk(0, of: held) == [1])
    }
}

extension BackendBench {
    /// An asset of one chunk.
    fileprivate mutating func asset() throws -> RandomIdentifier {
        let asset = identifier()
        try backend.put([1], 0, of: asset, time: time)
        return asset
    }

    fileprivate mutating func hold(
        _ assets: Set<RandomIdentifier>, by name: String, in zone: ZoneLife
    ) throws { try save(name, entry(assets: assets), in: zone) }
}
