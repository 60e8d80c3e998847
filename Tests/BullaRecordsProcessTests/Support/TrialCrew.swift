import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Testing

/// A folder with stores, and the workers that have them open.
final class TrialCrew {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    var folder: String { scratch.folder }

    func site() throws -> TrialSite { try TrialSite(folder) }

    /// Starts a worker in this folder.
    func worker(_ job: String, _ values: String...) throws -> WorkerProcess {
        try WorkerProcess(
            program: "BullaRecordsWorker", [job, "folder=\(folder)"] + values, key: nil,
            errors: scratch.path("errors"))
    }

    /// The standard error of the workers, for people.
    var complaints: String {
        String(decoding: (try? scratch.bytes("errors")) ?? [], as: UTF8.self)
    }

    /// Expects that a worker ends well.
    func expectEnd(
        of worker: WorkerProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let end = try worker.child.wait(patience: TestMode.patience)
        #expect(end == .done, "\(complaints)", sourceLocation: sourceLocation)
    }
}
