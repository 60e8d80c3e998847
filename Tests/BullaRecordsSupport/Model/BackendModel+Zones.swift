internal import BullaRecords
internal import BullaTestSupport

extension BackendModel {
    mutating func create() -> BackendStep {
        let zone = bench.newZone(zoneName(), in: bench.random.pick(databases))
        keep(zone, in: \.lives)
        return BackendStep("make zone \(zone.name)") { backend throws(RecordError) in
            .flag(try backend.create(zone))
        }
    }

    mutating func endZone() -> BackendStep {
        let life = life()
        return BackendStep("end zone \(life.name)") { backend throws(RecordError) in
            .flag(try backend.delete(life))
        }
    }

    mutating func rekey() -> BackendStep {
        let zone = bench.random.isOne(in: 8) ? pick(lives) : present()
        guard let former = zone else { return create() }
        var next = former
        next.keys = bench.random.bytes(20)
        if bench.random.isOne(in: 2) { next.epoch += 1 }
        return BackendStep("rekey zone \(next.name)") { [next] backend throws(RecordError) in
            .flag(
                try backend.rekey(
                    next, from: former.keys, formerEpoch: former.epoch,
                    sealing: BackendBench.sealing))
        }
    }

    mutating func look() -> BackendStep {
        let (database, name) = (bench.random.pick(databases), zoneName())
        if bench.random.isOne(in: 2) {
            return BackendStep("list zones") { backend throws(RecordError) in
                .zones(try backend.zones(in: database))
            }
        }
        return BackendStep("look at zone \(name)") { backend throws(RecordError) in
            .zones(try backend.zone(named: name, in: database).map { [$0] } ?? [])
        }
    }

    /// Reads a document, or replaces it, which is rare because batches depend on the schema.
    mutating func document() -> BackendStep {
        let name = bench.random.pick([PlaceDocument.schema, "other"])
        let place = BackendBench.place
        guard bench.random.isOne(in: 4) else {
            return BackendStep("read \(name)") { backend throws(RecordError) in
                .document(try backend.document(name, of: place))
            }
        }
        let version = bench.random.isOne(in: 3) ? 0 : schemaVersion
        let bytes = bench.random.bytes(bench.random.below(60))
        return BackendStep("replace \(name)") { backend throws(RecordError) in
            .flag(try backend.replace(name, of: place, version: version, with: bytes))
        }
    }

    mutating func chunk() -> BackendStep {
        if uploads.isEmpty || bench.random.isOne(in: 4) {
            let database = bench.random.pick(databases)
            keep(Upload(asset: bench.identifier(), database: database), in: \.uploads)
        }
        let upload = bench.random.pick(uploads)
        let (asset, index) = (upload.asset, UInt32(bench.random.below(3)))
        guard !bench.random.isOne(in: 3) else {
            return BackendStep("read a chunk") { backend throws(RecordError) in
                .bytes(try backend.chunk(index, of: asset, in: upload.database))
            }
        }
        // Sometimes use a random database, even if the asset is for another one.
        let database = bench.random.isOne(in: 20) ? bench.random.pick(databases) : upload.database
        let time = bench.time
        let chunks = (0...bench.random.below(3)).map { _ in
            bench.random.bytes(bench.random.below(300))
        }
        return BackendStep("put \(chunks.count) chunks") { backend throws(RecordError) in
            try backend.put(chunks, from: index, of: asset, in: database, time: time)
            return .done
        }
    }

    mutating func free() -> BackendStep {
        let time = bench.time - Int64(bench.random.below(200_000))
        return BackendStep("free orphans") { backend throws(RecordError) in
            .number(UInt64(try backend.freeOrphans(before: time)))
        }
    }

    mutating func forget() -> BackendStep {
        let (life, time) = (life(), bench.time - Int64(bench.random.below(400_000)))
        return BackendStep("forget deletions") { backend throws(RecordError) in
            try backend.forgetDeletions(before: time, in: life)
            return .done
        }
    }
}
