internal import BullaMemory

/// How this process keeps keys and the cleartext that vaults lend.
///
/// The setting holds for the whole process, because a program makes a key before it names the store
/// that the key opens. Choose it before the first key is made: it does not change existing keys.
public enum KeyMemory: Sendable {
    /// In locked memory, which is never swapped: the default.
    ///
    /// If no memory can be locked, whatever needs a key throws `outOfMemory`. An ordinary process
    /// can usually lock 8 MiB (`ulimit -l`). A store takes some tens of KiB of that, and a vault as
    /// much as it lends.
    case required
    /// In locked memory if any can be locked, otherwise in memory that can be swapped.
    ///
    /// In either case, that memory is kept out of core dumps and forked children.
    case bestEffort

    /// The policy for keys that are made from now on.
    public static var policy: KeyMemory {
        get { SecretMemory.policy == .required ? .required : .bestEffort }
        set { SecretMemory.policy = newValue == .required ? .required : .bestEffort }
    }

    /// How many bytes of the memory for keys and lent cleartext are not locked, including memory
    /// that is not in use.
    public static var unlockedByteCount: Int { SecretArena.statistics.looseByteCount }
}
