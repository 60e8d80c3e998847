import Bulla
import BullaTestSupport

/// Reads every name, key and value through spans, then waits, with the store open, for a search of
/// its memory.
struct WalkJob {
    private let store: Store
    private let isPlanting: Bool

    init(_ command: WorkerCommand) throws {
        isPlanting = command.number("plant") == 1
        store = try command.openStore()
    }

    func run() throws {
        var digest = EntryDigest()
        var names = EntryDigest()
        var planted: [[UInt8]] = []
        try store.read { snapshot in
            try snapshot.forEachTree { name, tree in
                names.add(name, name)
                try snapshot.scan(tree) { key, value in
                    digest.add(key, value)
                    if isPlanting && planted.isEmpty { planted.append(value.withBytes { $0 }) }
                    return .next
                }
            }
        }
        Line.say("digest", digest.sum)
        Line.say("entries", digest.count)
        Line.say("trees", names.count)
        Line.say("ready")
        withExtendedLifetime(planted) { Line.awaitEnd() }
    }
}
