/// An engine beside Bulla: the program that puts it there, and what it can be.
package struct Peer: Sendable {
    package var name: String
    package var program: String
    package var isEncrypted: Bool
    /// The same engine without encryption, where it is measured too.
    package var plainName: String?
    /// Whether one process alone may have its store open.
    package var isForOneProcess = false

    /// All that there are adapters for.
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

    /// Those that `list` names, with commas between them; all for nil.
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

    /// Bulla plain and encrypted, and the peers whose programs are there.
    ///
    /// Everybody is compared with the encrypted Bulla, and who is encrypted with its plain self.
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
                skipped.append("\(peer.name): one process alone may have it open")
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
