import Bulla
import BullaRecords
import BullaRecordsRemote
import BullaTestSupport

/// A process of the remote client's tests: a program whose notes an engine syncs through a service,
/// and whose connection comes and goes.
///
///     BullaRemoteWorker url=<url> token=<token> account=<name> seed=<number>
///
/// Each line of its input is a command; it answers each with lines, the last of which is `ready`.
///
///     work <count>   changes notes, goes offline and online, and tries to sync, as the seed says
///     settle         goes online, and syncs until nothing is pending: pending=<count>
///     report         <name>=<text> <change tag>, for each note
enum RemoteProgram {
    static func run(_ arguments: [String]) async -> WorkerExit {
        #if Remote
        var values: [String: String] = [:]
        for argument in arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return .badCommand }
            values[String(parts[0])] = String(parts[1])
        }
        do {
            guard var job = try await NoteJob(values) else { return .badCommand }
            Line.say("ready")
            while let line = Line.next() {
                guard try await job.perform(line) else { return .badCommand }
                Line.say("ready")
            }
            try await job.end()
            return .done
        } catch {
            Line.complain("\(error)")
            return .storeFailed
        }
        #else
        return .badCommand
        #endif
    }
}
