/// How a worker ends, so that no test reads a message to learn it.
package enum WorkerExit: Int32 {
    /// It did what it was told.
    case done = 0
    /// Its arguments are not a job.
    case badCommand = 64
    /// A read gave what no commit ever was.
    case impossibleState = 66
    /// The store threw.
    case storeFailed = 70
    /// Its input ended, and it did not.
    case stuck = 75
}

/// What a worker gives up with: a code for the test, a sentence for people.
package struct WorkerFailure: Error {
    package let exit: WorkerExit
    package let message: String

    package init(exit: WorkerExit, message: String) {
        (self.exit, self.message) = (exit, message)
    }

    package static func impossible(_ message: String) -> WorkerFailure {
        WorkerFailure(exit: .impossibleState, message: message)
    }
}
