internal import ArgumentParser

@main
struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulla-peers",
        abstract: "Compares Bulla, plain and encrypted, with LMDB on the same records.")

    @Option(help: "Generated YCSB records.")
    var records = 1_000_000

    @Option(help: "Bytes of each value.")
    var valueBytes = 100

    @Option(help: "Rounds of each workload.")
    var rounds = 15

    @Option(help: "Bytes of the cache of the encrypted store.")
    var cache = 512 << 20

    @Option(help: "Where the stores are made, in a temporary folder.")
    var directory = "."

    @Option(help: "Where the result is written as JSON.")
    var json: String?

    @Option(help: "Decides what is drawn.")
    var seed: UInt64 = 1

    func validate() throws {
        guard records > 0, valueBytes >= 0, rounds > 0, cache > 0 else {
            throw ValidationError("--records, --rounds and --cache are positive")
        }
    }

    func run() throws {
        do {
            try Interruption.shared.listen()
            try measure()
        } catch let error as BenchError {
            Terminal.write("bulla-peers: \(error.message)\n")
            throw ExitCode(error.exit.rawValue)
        }
    }

    private func measure() throws {
        let scratch = try Scratch(under: directory, isKept: false)
        Terminal.write("making \(records) records\n")
        let made = Records(count: records, valueByteCount: valueBytes, seed: seed)
        let peers = try peers(scratch)
        let run = PeerRun(peers, made, roundCount: rounds, seed: seed)
        let samples = try run.run { Terminal.write($0 + "\n") }
        let report = PeerReport(samples, peers, self)
        print(report.lines.joined(separator: "\n"))
        if let json { try Descriptor.replace(json).write(report.json()) }
    }

    private func peers(_ scratch: Scratch) throws -> [any Peer] {
        // Ten times the data: a map that is too small would end the load, a larger one costs
        // nothing.
        let mapByteCount = max(10 * records * (valueBytes + 64), 1 << 30)
        return [
            try LMDBPeer(path: scratch.file("lmdb"), mapByteCount: mapByteCount),
            try BullaPeer(
                path: scratch.file("plain.bulla"), isEncrypted: false, cacheByteLimit: cache),
            try BullaPeer(
                path: scratch.file("encrypted.bulla"), isEncrypted: true, cacheByteLimit: cache),
        ]
    }
}
