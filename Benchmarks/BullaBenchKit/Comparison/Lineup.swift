internal import BullaText

/// Which contenders are measured side by side, and which are compared.
package struct Lineup: Sendable {
    package struct Pairing: Sendable, Equatable {
        package var contender: Int
        package var base: Int
        package var hasTarget: Bool

        package init(_ contender: Int, over base: Int, hasTarget: Bool = false) {
            (self.contender, self.base, self.hasTarget) = (contender, base, hasTarget)
        }
    }

    package let contenders: [Contender]
    package let pairings: [Pairing]
    package let skipped: [String]

    package init(_ contenders: [Contender], _ pairings: [Pairing], skipped: [String] = []) {
        precondition(!contenders.isEmpty, "a lineup has a contender")
        (self.contenders, self.pairings, self.skipped) = (contenders, pairings, skipped)
    }

    package static func overhead() throws -> Lineup {
        let program = try Executable.path()
        return Lineup(
            [
                Contender(name: "plain", program: program, isEncrypted: false),
                Contender(name: "encrypted", program: program, isEncrypted: true),
            ], [Pairing(1, over: 0, hasTarget: true)])
    }

    /// The plain store, and the same one slowed by a known share, so that the right ratio is known.
    package static func slowed(by share: Double) throws -> Lineup {
        let plain = Contender(name: "plain", program: try Executable.path(), isEncrypted: false)
        var slowed = plain
        (slowed.name, slowed.slowdown) = ("slowed", share)
        return Lineup([plain, slowed], [Pairing(1, over: 0, hasTarget: true)])
    }

    /// The order of the contenders in the turn with this number.
    ///
    /// Over many turns, all are first equally often, and any two run equally often in either order.
    package func order(_ number: Int) -> [Int] {
        let count = contenders.count
        let turned = (0..<count).map { ($0 + number / 2) % count }
        return number % 2 == 0 ? turned : turned.reversed()
    }
}

package struct Contender: Sendable {
    package var name: String
    package var program: String
    package var isEncrypted: Bool
    package var model: ModelBehaviour?
    /// By what share each slice is made longer: 0.1 for 10 %.
    package var slowdown = 0.0
    /// The limit of the log of a Bulla store; nil: the store chooses.
    package var logByteCount: Int?

    package init(name: String, program: String, isEncrypted: Bool, model: ModelBehaviour? = nil) {
        (self.model, self.name, self.program) = (model, name, program)
        self.isEncrypted = isEncrypted
    }
}

package struct Peer: Sendable {
    package var name: String
    package var program: String
    package var isEncrypted: Bool
    /// The name of the same engine without encryption, if that is a peer, too.
    package var plainName: String?
    /// Whether only one process at a time can have its store open.
    package var isForOneProcess = false

    package static let all = [
        Peer(name: "lmdb", program: "bulla-peer-lmdb", isEncrypted: false),
        Peer(name: "sqlite", program: "bulla-peer-sqlite", isEncrypted: false),
        Peer(
            name: "sqlcipher", program: "bulla-peer-sqlcipher", isEncrypted: true,
            plainName: "sqlite"),
        Peer(
            name: "rocksdb", program: "bulla-peer-rocksdb", isEncrypted: false,
            isForOneProcess: true),
        Peer(name: "berkeley", program: "bulla-peer-berkeley", isEncrypted: false),
        Peer(
            name: "berkeley-aes", program: "bulla-peer-berkeley", isEncrypted: true,
            plainName: "berkeley"),
    ]

    /// The peers named in `list`, which is separated by commas; all peers if it is nil.
    package static func named(_ list: String?) throws -> [Peer] {
        guard let list else { return all }
        return try list.split(separator: ",").map { name in
            guard let peer = all.first(where: { $0.name == name }) else {
                throw BenchError(
                    .usage,
                    "--only names \(name), expected \(all.map(\.name).joined(separator: ", "))")
            }
            return peer
        }
    }

    /// Bulla plain and encrypted, and the peers whose programs exist.
    ///
    /// Others are compared with encrypted Bulla, and encrypted peers also with their plain form.
    package static func lineup(
        _ peers: [Peer], programs folder: String?, workerCount: Int
    ) throws -> Lineup {
        let own = try Executable.path()
        let folder = folder ?? own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        var contenders = [
            Contender(name: "bulla", program: own, isEncrypted: false),
            Contender(name: "bulla-encrypted", program: own, isEncrypted: true),
        ]
        var skipped: [String] = []
        for peer in peers {
            let path = folder + "/" + peer.program
            guard Executable.isThere(path) else {
                skipped.append("\(peer.name): there is no program \(path)")
                continue
            }
            if peer.isForOneProcess, workerCount > 1 {
                skipped.append(
                    "\(peer.name) with \(workerCount) workers: one process alone may have its "
                        + "store open")
                continue
            }
            contenders.append(
                Contender(name: peer.name, program: path, isEncrypted: peer.isEncrypted))
        }
        return Lineup(contenders, pairings(contenders, peers), skipped: skipped)
    }

    private static func pairings(_ contenders: [Contender], _ peers: [Peer]) -> [Lineup.Pairing] {
        let place = { (name: String) in contenders.firstIndex { $0.name == name } }
        var pairings = [Lineup.Pairing(0, over: 1)]
        for index in contenders.indices.dropFirst(2) {
            pairings.append(.init(index, over: 1))
            let peer = peers.first { $0.name == contenders[index].name }
            if let plain = peer?.plainName.flatMap(place) {
                pairings.append(.init(index, over: plain))
            }
        }
        return pairings
    }
}

/// Which of the requested regimes this machine can provide.
struct Regimes {
    let available: [Temperature]
    /// The requested regimes that are not available, each by name and with the reason.
    let skipped: [String]

    init(_ asked: [Temperature], _ scratch: Scratch) {
        let reasons = asked.map { Self.reasonUnavailable($0, scratch) }
        available = zip(asked, reasons).filter { $0.1 == nil }.map(\.0)
        skipped = zip(asked, reasons).compactMap { temperature, reason in
            reason.map { "\(temperature.rawValue): \($0)" }
        }
    }

    /// The available regimes for which a source is large enough.
    func available(for source: Source, _ options: ComparisonOptions) -> [Temperature] {
        let isBound = reasonNotMemoryBound(source, options) == nil
        return available.filter { $0 != .memoryBound || isBound }
    }

    /// Why a source is too small to be memory-bound; nil if it is large or there is no such regime.
    func reasonNotMemoryBound(_ source: Source, _ options: ComparisonOptions) -> String? {
        guard available.contains(.memoryBound) else { return nil }
        return MemoryBudget.reasonTooLarge(options, source).map {
            "\(Temperature.memoryBound.rawValue): \($0)"
        }
    }

    private static func reasonUnavailable(_ temperature: Temperature, _ scratch: Scratch) -> String?
    {
        switch temperature {
        case .hot, .cold, .overCache, .empty: nil
        case .disk: reasonNotToDrop(scratch)
        case .memoryBound: MemoryGroup.reasonUnavailable() ?? reasonNotToDrop(scratch)
        }
    }

    /// Why a file in this folder cannot be dropped from the page cache; nil if it can.
    private static func reasonNotToDrop(_ scratch: Scratch) -> String? {
        let path = scratch.file("probe")
        defer { Folder.removeFile(path) }
        do {
            try Descriptor.create(path).write([UInt8](repeating: 1, count: 1 << 16))
            try PageCache.drop(path)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// How much memory the workers of each store have in the memory-bound regime.
struct MemoryBudget {
    /// The memory that a worker needs, however small its store is.
    private static let workerByteCount = 64 << 20

    /// The memory of all workers of a store together, page cache included.
    let byteLimit: Int
    /// The part of `byteLimit` that the engine in each worker may use for a cache of its own.
    let cacheByteLimit: Int

    /// Allows what the workers themselves need plus half of the data, unless options set a limit.
    init(_ options: ComparisonOptions, _ source: Source) {
        byteLimit =
            options.memoryByteLimit
            ?? source.payloadByteCount / 2 + options.workers * Self.workerByteCount
        cacheByteLimit = min(options.cacheByteLimit, byteLimit / 4 / options.workers)
    }

    static func reasonTooLarge(_ options: ComparisonOptions, _ source: Source) -> String? {
        guard MemoryBudget(options, source).byteLimit >= source.payloadByteCount else { return nil }
        return "the \(Format.bytes(source.payloadByteCount)) of \(source.name) fit into the memory "
            + "that workers need anyway"
    }
}

/// Empties, before a slice, the caches that the row's regime requires to be empty.
struct Cooling {
    let temperature: Temperature
    let folders: [String]
    /// How much memory a contender may touch for its own cache in a slice.
    let cacheByteCount: Int

    func cool(_ crew: Crew, _ contender: Int) throws {
        guard [.cold, .disk].contains(temperature) else { return }
        try crew.reopen {
            if temperature == .disk { try PageCache.drop(filesIn: folders[contender]) }
            FirstTouch.bringIn(cacheByteCount)
        }
    }
}
