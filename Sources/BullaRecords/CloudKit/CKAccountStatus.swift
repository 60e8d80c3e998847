/// Whether a user is signed in.
public enum CKAccountStatus: Int, Sendable {
    /// It is not known whether a user is signed in: the container is not open, or its accounts
    /// cannot be read.
    case couldNotDetermine = 0
    /// A user is signed in, and the keys are available.
    case available = 1
    /// The administrator of the machine does not allow users to sign in.
    case restricted = 2
    /// No user is signed in.
    case noAccount = 3
    /// A user is signed in, but the keys are temporarily unavailable.
    case temporarilyUnavailable = 4
}
