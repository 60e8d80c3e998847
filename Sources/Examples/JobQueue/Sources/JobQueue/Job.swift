public import BullaObjects
public import Foundation

/// Something that one of many workers is to do.
@Model public struct Job: Hashable {
    /// Where a job stands.
    ///
    ///     open ---- done --------------> done
    ///     |  ^
    ///     |  +----- failed, or its worker is gone: it rests, and is due again
    ///     |
    ///     +-------- the same, too often -> failed
    public enum State: Int, Storable { case open, done, failed }

    /// Jobs are counted from 1.
    @Key public var number: Int
    /// What is to be done.
    public var task: String
    /// Where it stands.
    public var state = State.open
    /// From when on a worker may take it: who takes it, puts this to the end of its lease.
    public var due = Date.distantPast
    /// How many workers have taken it.
    public var attempts = 0
    /// What the last worker that failed said.
    public var complaint: String?
    #Index(\Job.state, \Job.due)

    /// A job that is due.
    public init(number: Int, task: String) { (self.number, self.task) = (number, task) }
}

extension Job: CustomStringConvertible {
    /// As `3 failed: a.png (exit 1)`.
    public var description: String {
        "\(number) \(state): \(task)\(complaint.map { " (\($0))" } ?? "")"
    }
}
