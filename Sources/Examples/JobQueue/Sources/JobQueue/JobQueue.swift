public import Bulla
public import BullaObjects
public import Foundation

/// Jobs in a store; any number of processes can add, take and finish them.
///
/// A worker takes a job in a transaction, and only one process writes at a time, so no two workers
/// take the same job. A worker holds its job for the duration of a lease. No process has to notice
/// that a worker has died: when the lease ends, the job is due again. Once another worker has taken
/// the job, the queue ignores what the previous worker reports.
public struct JobQueue: Sendable {
    /// The store of the jobs, for queries and for following changes.
    public let database: ObjectDatabase
    /// The duration of a lease in seconds.
    public var lease: TimeInterval = 60
    /// How many seconds a failed job rests before it is due again.
    public var rest: TimeInterval = 1
    /// How many times a job can be taken before it counts as failed.
    public var attemptLimit = 3

    /// Opens a queue, or creates it if there is none.
    ///
    /// - Throws: the errors of `ObjectDatabase.open`.
    public init(at path: String, key: StoreKey?) throws(ObjectError) {
        database = try ObjectDatabase.open(at: path, key: key, models: Job.self)
    }

    /// Adds jobs, all of them or none, and returns them.
    @discardableResult
    public func add(_ tasks: [String]) throws -> [Job] {
        try database.write { transaction in
            let last = try transaction.max(\.number, of: Job.all) ?? 0
            let jobs = zip((last + 1)..., tasks).map { Job(number: $0, task: $1) }
            for job in jobs { try transaction.insert(job) }
            return jobs
        }
    }

    /// Takes the job that has been due for the longest time; returns `nil` if no job is due.
    public func take(at now: Date = .now) throws -> Job? {
        try database.write { transaction in
            let due = Job.where { $0.state == .open && $0.due <= now }.sorted(by: \.due)
            while var job = try transaction.first(of: due) {
                if job.attempts < attemptLimit {
                    job.attempts += 1
                    job.due = now + lease
                    try transaction.upsert(job)
                    return job
                }
                job.state = .failed
                job.complaint = "no worker came back from it"
                try transaction.upsert(job)
            }
            return nil
        }
    }

    /// Reports that a job is done.
    ///
    /// - Parameter job: the job as ``take(at:)`` returned it.
    /// - Returns: `false` if this worker's lease has ended, and the job has since been taken by
    ///   another worker, or counted as failed.
    public func finish(_ job: Job) throws -> Bool {
        try end(job) { job in
            job.state = .done
            job.complaint = nil
        }
    }

    /// Reports that a job has failed; it rests and is then due again, unless it was taken too
    /// often.
    ///
    /// - Returns: `false` if this worker's lease has ended, and the job has since been taken by
    ///   another worker, or counted as failed.
    public func fail(_ job: Job, _ complaint: String, at now: Date = .now) throws -> Bool {
        try end(job) { job in
            job.complaint = complaint
            job.due = now + rest
            if job.attempts >= attemptLimit { job.state = .failed }
        }
    }

    private func end(_ job: Job, _ change: (inout Job) -> Void) throws -> Bool {
        var ended = job
        change(&ended)
        do {
            try database.write { try $0.update(ended, replacing: job) }
            return true
        } catch let error as ObjectError where error.code == .changedMeanwhile {
            // The lease has ended, and another worker's `take` has changed the job.
            return false
        }
    }

    /// Sleeps until a process commits, or until the next open job is due; if no job is open, for at
    /// most an hour.
    ///
    /// - Parameter staying: whether to sleep even if no job is open.
    /// - Returns: `false` if no job is open and `staying` is `false`; the call then does not sleep.
    public func awaitWork(staying: Bool) throws -> Bool {
        let (next, commit) = try database.read { snapshot in
            (try snapshot.min(\.due, of: Job.where { $0.state == .open }), snapshot.commit)
        }
        guard next != nil || staying else { return false }
        let seconds = next.map { max($0.timeIntervalSinceNow, 0) } ?? 3600
        _ = try database.store.waitForCommit(after: commit, timeout: .seconds(seconds))
        return true
    }
}
