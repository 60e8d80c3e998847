package import BullaBenchKit
internal import BullaObjectPeer

/// Measures work on objects in Bulla, encrypted and plain, in trees coded by hand, and in GRDB.
package struct ObjectRun: Codable, Sendable {
    package var objectCount = 100_000
    package var roundCount = 5
    package var cacheByteCount = 1 << 30
    /// The kinds of work to measure, by name.
    package var works = ObjectWork.allCases.map(\.rawValue)
    package var directory = "."

    package init() {}

    /// The names of all kinds of work.
    package static let workNames = ObjectWork.allCases.map(\.rawValue)

    package func result(
        _ lineup: ObjectLineup, _ tell: (String) -> Void
    ) throws -> RowResult<Self> {
        for reason in lineup.skipped { tell("left out: \(reason)") }
        let scratch = try Scratch(under: directory, isKept: false)
        return try RowResult(.objects, self, directory) {
            let works = works.compactMap { ObjectWork(rawValue: $0) }
            let stage = try ObjectStage(self, lineup, works, scratch)
            tell("loading \(objectCount) objects into each store")
            try stage.load()
            var table = ObjectTable(lineup, works)
            for round in 0..<roundCount {
                tell("round \(round + 1) of \(roundCount)")
                table.add(try stage.round(round))
            }
            return table.rows
        }
    }
}

/// The programs that keep objects; all obey the same commands.
package struct ObjectLineup: Sendable {
    package struct Member: Sendable {
        let name: String
        let program: String
        var arguments: [String] = []
        var isEncrypted = false
        /// The member whose loaded store this member copies; nil if this member loads a store
        /// itself.
        var baseName: String?
        /// Whether this member sees changes that other processes make.
        var isWatching = false
    }

    static let encrypted = "objects, encrypted"
    static let plain = "objects, plain"
    static let trees = "trees, encrypted"
    static let grdb = "grdb"
    static let bare = "grdb, bare"

    let members: [Member]
    let skipped: [String]

    /// - Parameters:
    ///   - programs: the folder of the peers' programs; nil means that of this program.
    ///   - isBare: whether the run does nothing but compare GRDB in the harness with GRDB without
    ///     it.
    package init(programs: String?, isBare: Bool) throws {
        let own = try Executable.path()
        let folder = programs ?? own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let grdb = Member(name: Self.grdb, program: folder + "/bulla-objects-grdb")
        let bare = Member(
            name: Self.bare, program: folder + "/bulla-bare-grdb", baseName: Self.grdb)
        let peers = isBare ? [grdb, bare] : [grdb]
        let missing = peers.filter { !Executable.isThere($0.program) }
        let reasons = missing.map { "\($0.name): there is no program \($0.program)" }
        guard !isBare || missing.isEmpty else {
            throw BenchError(.usage, reasons.joined(separator: "; "))
        }
        members = (isBare ? [] : Self.ownMembers(own)) + (missing.isEmpty ? peers : [])
        skipped = isBare ? [] : reasons + [Self.unseen]
    }

    /// - Source: GRDB's documentation, "Sharing a Database", on cross-process observation.
    private static let unseen =
        "grdb, where another process sees changes: it does not \"detect database changes "
        + "performed by other processes\""

    private static func ownMembers(_ program: String) -> [Member] {
        let arguments = { (keeper: ObjectKeeper) in ["object-keeper", keeper.rawValue] }
        return [
            Member(
                name: encrypted, program: program, arguments: arguments(.objects),
                isEncrypted: true, isWatching: true),
            Member(
                name: plain, program: program, arguments: arguments(.objects), isWatching: true),
            Member(
                name: trees, program: program, arguments: arguments(.trees), isEncrypted: true),
        ]
    }

    func place(_ name: String) -> Int? { members.firstIndex { $0.name == name } }
}
