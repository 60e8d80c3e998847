package import BullaRecords
internal import BullaTestSupport

/// Makes random calls to a backend, most of which find something.
///
/// It asks a backend in memory what exists. From the answers to its calls, it learns where pages
/// ended, and which version the schema has.
package struct BackendModel {
    var bench: BackendBench
    package let databases: [Database]
    /// Present zones, former zones, and zones that never existed.
    var lives: [StoredZone] = []
    var batches: [BackendBatch] = []
    var uploads: [Upload] = []
    var marks: [[UInt8]] = []
    var schemaVersion: UInt64 = 0
    let nameCount: Int

    struct Upload {
        let asset: RandomIdentifier
        let database: Database
    }

    /// - Parameters:
    ///   - backend: a backend in memory, which is asked what exists.
    ///   - seed: determines all calls.
    ///   - nameCount: the number of different record names.
    ///   - hasAccounts: whether there are zones outside the public database.
    package init(
        _ backend: any RecordBackend, seed: UInt64, nameCount: Int = 30, hasAccounts: Bool = true
    ) {
        var bench = BackendBench(backend, seed: seed)
        let accounts = [bench.database(), bench.database()]
        databases = [BackendBench.public] + (hasAccounts ? accounts : [])
        (self.bench, self.nameCount) = (bench, nameCount)
    }

    /// The next call.
    package mutating func next() -> BackendStep {
        bench.time += Int64(bench.random.below(1_000))
        switch bench.random.below(100) {
        case 0..<4: return create()
        case 4 where bench.random.isOne(in: 3): return endZone()
        case 4..<8: return rekey()
        case 8..<11: return look()
        case 11..<52: return commit()
        case 52..<55: return again()
        case 55: return contents()
        case 56..<62: return records()
        case 62..<70: return changes()
        case 70..<80: return scan()
        case 80..<84: return referrers()
        case 84..<87: return document()
        case 87..<95: return chunk()
        case 95..<97: return free()
        default: return forget()
        }
    }

    /// Learns from the answer to a call.
    package mutating func learn(_ answer: BackendAnswer) {
        switch answer {
        case .places(let page): if let mark = page.mark { keep(mark, in: \.marks) }
        case .batch(.otherSchema(let version)): schemaVersion = version
        default: break
        }
    }

    mutating func keep<T>(_ item: T, in list: WritableKeyPath<BackendModel, [T]>) {
        self[keyPath: list].append(item)
        if self[keyPath: list].count > 40 { self[keyPath: list].removeFirst(20) }
    }

    mutating func pick<T>(_ list: [T]) -> T? {
        list.isEmpty ? nil : bench.random.pick(list)
    }

    mutating func zoneName() -> String { bench.random.pick(["z", "zz", "a", "_defaultZone"]) }

    /// The life of a present zone, or sometimes one that has ended or never existed.
    mutating func life() -> ZoneLife {
        if !bench.random.isOne(in: 25), let zone = present() { return ZoneLife(zone) }
        if let zone = pick(lives) { return ZoneLife(zone) }
        return ZoneLife(bench.newZone(zoneName(), in: databases[0]))
    }

    /// A present zone.
    mutating func present() -> StoredZone? {
        let database = bench.random.pick(databases)
        return pick((try? bench.backend.zones(in: database)) ?? [])
    }

    mutating func recordName() -> String {
        let number = bench.random.below(nameCount)
        return String(repeating: "n", count: number % 5 + 1) + "\(number)"
    }

    mutating func limit() -> Int { bench.random.pick([1, 2, 3, 7, 50, 0]) }
}
