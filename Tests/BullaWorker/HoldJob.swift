import Bulla
import BullaTestSupport
import Foundation

/// Holds a snapshot until its input ends; reports the digest of one tree before and after.
struct HoldJob {
    private let tree: String
    private let store: Store

    init(_ command: WorkerCommand) throws {
        tree = command.text("tree") ?? ""
        store = try command.openStore()
    }

    func run() throws {
        let snapshot = try store.makeSnapshot()
        Line.say("before", try snapshot.digest(of: tree).sum)
        // The worker's process number, as it is in its own namespace.
        Line.say("process", ProcessInfo.processInfo.processIdentifier)
        Line.say("ready")
        Line.awaitEnd()
        Line.say("after", try snapshot.digest(of: tree).sum)
    }
}
