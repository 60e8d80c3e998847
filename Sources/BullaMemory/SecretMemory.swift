internal import Synchronization

/// How this process keeps its secrets.
///
/// It is one setting for all of them: a key is made before anybody knows which store it will open,
/// and what derives a key from others has no options.
package enum SecretMemory {
    /// What to do where memory cannot be locked.
    package enum Policy: Int, Sendable {
        /// Throws a ``MemoryError`` that says so.
        case required
        /// Takes memory that may be swapped; core dumps and children still are without it.
        case bestEffort
    }

    /// What holds for secrets made from now on; `required`, unless somebody says otherwise.
    package static var policy: Policy {
        get { Policy(rawValue: chosenPolicy.load(ordering: .relaxed)) ?? .required }
        set { chosenPolicy.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Whether memory may be taken that is mapped in this process alone (memfd_secret(2)).
    ///
    /// Nobody can read it from outside, so a test that searches a process for secrets says no.
    package static var mayHide: Bool {
        get { hiding.load(ordering: .relaxed) }
        set { hiding.store(newValue, ordering: .relaxed) }
    }

    private static let chosenPolicy = Atomic(Policy.required.rawValue)
    private static let hiding = Atomic(true)
}
