internal import Synchronization

/// How this process keeps its secrets.
///
/// One setting holds for all of them. A store's options would come too late: a program makes a key
/// before it names the store that the key opens. And code that derives keys from other keys has no
/// options.
package enum SecretMemory {
    /// What to do if memory cannot be locked.
    package enum Policy: Int, Sendable {
        /// Throws a ``MemoryError`` that says so.
        case required
        /// Takes memory that can be swapped; core dumps and children still do not get it.
        case bestEffort
    }

    /// The policy for secrets made from now on; `required` unless set.
    package static var policy: Policy {
        get { Policy(rawValue: chosenPolicy.load(ordering: .relaxed)) ?? .required }
        set { chosenPolicy.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Whether secrets may lie in memory that is mapped only in this process (memfd_secret(2)).
    ///
    /// No other process can read that memory, so a test that searches a process for secrets sets
    /// this to false.
    package static var mayHide: Bool {
        get { hiding.load(ordering: .relaxed) }
        set { hiding.store(newValue, ordering: .relaxed) }
    }

    private static let chosenPolicy = Atomic(Policy.required.rawValue)
    private static let hiding = Atomic(true)
}
