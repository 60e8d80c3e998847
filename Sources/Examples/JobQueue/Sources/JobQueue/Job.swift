public import BullaObjects
public import Foundation

/// A task for one of many workers.
@Model public struct Job: Hashable {
    /// The state of a job.
    ///
    ///     open ---- done --------------> done
    ///     |  ^
    ///     |  +----- failed, or its worker died: due again after a rest, or when the lease ends
    ///     |
    ///     +-------- the same, too often -> failed
    public enum State: Int, Storable { case open, done, failed }

    /// The number, counted from 1.
    @Key public var number: Int
    /// The task.
    public var task: String
    /// The state of the job.
    public var state = State.open
    /// The time from which a worker can take the job.
    ///
    /// A worker that takes the job sets this to the end of its lease.
    public var due = Date.distantPast
    /// How many times a worker has taken the job.
    public var attempts = 0
    /// The message of the last worker whose attempt failed.
    public var complaint: String?
    #Index(\Job.state, \Job.due)

    /// Creates a job that is due at once.
    public init(number: Int, task: String) { (self.number, self.task) = (number, task) }
}

extension Job: CustomStringConvertible {
    /// A line such as `3 failed: a.png (exit 1)`.
    public var description: String {
        "\(number) \(state): \(task)\(complaint.map { " (\($0))" } ?? "")"
    }
}
