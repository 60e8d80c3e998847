internal import Bulla
internal import BullaRecords
internal import BullaText

/// Compares the costs of a file, saved as an asset or in plain chunks, with the costs of the same
/// bytes, saved as one streamed value.
///
/// All are durable at the end: the asset once its record is saved, the others with their last
/// commit. All are in one store, which seals its pages; each chunk of the asset is also sealed on
/// its own. A streamed value takes one transaction, which blocks all other writers; chunks take one
/// each.
struct AssetCosts {
    private static let zone = "assets"
    private static let name = "file"
    private static let chunkTree = "chunks"
    private static let chunkByteCount = 1 << 20

    private let run: RecordLayerRun
    private let side: RecordLayerSide
    private let part: [UInt8]

    init(_ run: RecordLayerRun, _ side: RecordLayerSide) throws {
        (self.run, self.side) = (run, side)
        var random = Random(seed: 3)
        part = (0..<1 << 16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try side.view.createZone(Self.zone)
        try side.store.write { transaction in
            for name in [Self.zone, Self.chunkTree] {
                _ = try transaction.openOrCreateTree(named: name)
            }
        }
    }

    func rows() throws -> [SealingRow] {
        let names = ["asset", "plain chunks", "streamed value"]
        let allWorks = [takeUp, putChunks, stream, readAsset, readChunks, readStream]
        var memory = allWorks.map { _ in [Double]() }
        var processor = allWorks.map { _ in [[Double]]() }
        let works = allWorks.enumerated().map { index, work in
            {
                var (time, processorTime) = (0.0, 0.0)
                let peak = try SealingRun.peakByteCount {
                    processorTime = try SealingRun.processorTime {
                        time = try SealingRun.time(work)
                    }
                }
                memory[index].append(peak)
                processor[index].append([processorTime])
                return time
            }
        }
        // The three ways to save make the store's file grow in this first round only, so this round
        // does not count.
        _ = try SealingRun.inTurn(1, Array(works[..<names.count]))
        (memory, processor) = (works.map { _ in [] }, works.map { _ in [] })
        // All rounds of saving come first, so each read finds what the last round has written.
        let times = try [works[..<names.count], works[names.count...]].flatMap {
            try SealingRun.inTurn(run.roundCount, Array($0))
        }
        return ["take up", "read back"].enumerated().flatMap { pair, topic in
            names.indices.flatMap { place in
                let (index, end) = (pair * names.count + place, (pair + 1) * names.count - 1)
                let (name, isBase) = (names[place], index == end)
                return [
                    // The aim is four fifths of the base's speed, so five quarters of its time.
                    SealingRow(
                        "\(topic) \(Format.bytes(run.assetByteCount))", name, times[index],
                        over: isBase ? nil : times[end], aim: place == 0 ? (.ratio, 1.25) : nil),
                    SealingRow(
                        topic, "\(name), processor", processor[index],
                        over: isBase ? nil : processor[end]),
                    SealingRow(topic, "\(name), memory", [memory[index]], unit: .bytes),
                ]
            }
        }
    }

    private func parts(_ body: ([UInt8]) throws -> Void) rethrows {
        for start in stride(from: 0, to: run.assetByteCount, by: part.count) {
            let left = run.assetByteCount - start
            try body(left < part.count ? Array(part[..<left]) : part)
        }
    }

    private func takeUp() throws {
        let upload = try side.view.beginUpload()
        try parts { try upload.append($0) }
        let asset = try upload.finish()
        let save = RecordChange.Save(
            "File", .none, fields: ["bytes": .init(.asset(asset))])
        let results = try side.view.modify([RecordChange(Self.name, .save(save))], in: Self.zone)
        guard case .saved = results[0] else { throw BenchError(.digest, "an asset was not saved") }
    }

    private func putChunks() throws {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(Self.chunkByteCount)
        var index: UInt8 = 0
        try parts { part in
            chunk += part
            guard chunk.count >= Self.chunkByteCount else { return }
            try put(chunk, index, .relaxed(within: .seconds(1)))
            chunk.removeAll(keepingCapacity: true)
            index += 1
        }
        try put(chunk, index, .full)
    }

    private func put(_ chunk: [UInt8], _ index: UInt8, _ durability: Durability) throws {
        try side.store.write(durability: durability) { transaction in
            let tree = try transaction.tree(named: Self.chunkTree)
            try transaction.put(chunk, forKey: [index], in: tree)
        }
    }

    private func stream() throws {
        try side.store.write { transaction in
            let tree = try transaction.tree(named: Self.zone)
            try transaction.putStream(forKey: Self.name, in: tree) { write in
                try parts { try $0.withBytes { part throws(BullaError) in try write(part) } }
            }
        }
    }

    private func readAsset() throws {
        let record = try side.view.records([Self.name], in: Self.zone)[0].get()
        guard case .asset(let asset) = try record.value(of: "bytes") else {
            throw BenchError(.digest, "a record has no asset")
        }
        var count = 0
        try side.view.asset(asset).read { count += $0.count }
        try check(count)
    }

    private func readChunks() throws {
        var (count, chunk) = (0, [UInt8](repeating: 0, count: Self.chunkByteCount))
        for index in UInt8(0)...UInt8(run.assetByteCount / Self.chunkByteCount) {
            try side.store.read { snapshot in
                let tree = try snapshot.tree(named: Self.chunkTree)
                let key = [index]
                count += try snapshot.readValue(forKey: key, in: tree, at: 0, into: &chunk) ?? 0
            }
        }
        try check(count)
    }

    private func readStream() throws {
        var count = 0
        try side.store.read { snapshot in
            let tree = try snapshot.tree(named: Self.zone)
            _ = try snapshot.streamValue(forKey: Self.name, in: tree) { count += $0.byteCount }
        }
        try check(count)
    }

    private func check(_ count: Int) throws {
        guard count == run.assetByteCount else {
            throw BenchError(.digest, "read \(count) bytes of \(run.assetByteCount)")
        }
    }
}
