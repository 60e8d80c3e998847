/// Whether somebody is signed in.
public enum CKAccountStatus: Int, Sendable {
    /// It cannot be told: the container is not open, or its accounts cannot be read.
    case couldNotDetermine = 0
    /// Somebody is, with keys at hand.
    case available = 1
    /// Whoever manages the machine forbids it.
    case restricted = 2
    /// Nobody is.
    case noAccount = 3
    /// Somebody is, whose keys are not at hand for the moment.
    case temporarilyUnavailable = 4
}
