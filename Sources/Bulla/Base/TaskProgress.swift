/// How far a long operation has come.
///
/// The documentation of each call that reports progress names the unit: pages, entries or blobs.
public struct TaskProgress: Sendable, Hashable, CustomStringConvertible {
    /// How much is done.
    public let completed: Int
    /// How much there is in all, never less than ``completed``; `nil` if the call does not know.
    ///
    /// It can change while the work goes on.
    public let total: Int?

    /// Makes a report of progress, and raises a total that is less than `completed` to `completed`.
    public init(completed: Int, total: Int? = nil) {
        self.completed = completed
        self.total = total.map { max($0, completed) }
    }

    /// The share that is done, from 0 to 1; `nil` if the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? Double(completed) / Double($0) : 1 }
    }

    /// Both numbers, as in `3 of 10`, or the one that is known.
    public var description: String { total.map { "\(completed) of \($0)" } ?? "\(completed)" }
}

/// Receives the progress of work from time to time, and stops the work by throwing.
typealias ProgressReport = (TaskProgress) throws(BullaError) -> Void
