package import BullaTestSupport
package import Testing

/// The folder of one test, and the workers of the record layer that use the files in it.
package final class TrialCrew: Sendable {
    package let scratch: Scratch

    package init() throws { scratch = try Scratch() }

    package var folder: String { scratch.folder }

    /// Starts a worker in this folder.
    package func worker(_ job: String, _ values: String...) throws -> WorkerProcess {
        try worker(job, values)
    }

    package func worker(_ job: String, _ values: [String]) throws -> WorkerProcess {
        try WorkerProcess(
            program: "BullaRecordsWorker", [job, "folder=\(folder)"] + values, key: nil,
            errors: scratch.path("errors"))
    }

    /// The standard error of the workers, for people.
    package var complaints: String {
        String(decoding: (try? scratch.bytes("errors")) ?? [], as: UTF8.self)
    }

    /// Expects that a worker ends well.
    package func expectEnd(
        of worker: WorkerProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let end = try worker.child.wait(patience: TestMode.patience)
        #expect(end == .done, "\(complaints)", sourceLocation: sourceLocation)
    }
}
