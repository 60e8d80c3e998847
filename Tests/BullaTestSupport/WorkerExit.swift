/// The exit code of a worker, so that no test needs to parse a message.
package enum WorkerExit: Int32 {
    /// It did what it was told.
    case done = 0
    /// Its arguments describe no job.
    case badCommand = 64
    /// A read returned a state that no commit ever made.
    case impossibleState = 66
    /// The store threw an error.
    case storeFailed = 70
    /// Its input ended, but it did not.
    case stuck = 75
}

/// The failure of a worker: a code for the test, a sentence for people.
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
