internal import BullaMemory

/// How this process keeps keys, and the cleartext that vaults lend.
///
/// It is one setting for the whole process, because a key is made before anybody knows which store
/// it opens. Choose it before the first key is made: what is there already stays as it is.
public enum KeyMemory: Sendable {
    /// In locked memory, which is never swapped: the default.
    ///
    /// Where none can be locked, whatever needs a key throws `outOfMemory`. An ordinary process may
    /// lock 8 MiB as a rule (`ulimit -l`); a store takes some tens of KiB of it, and a vault what
    /// it lends.
    case required
    /// In locked memory where there is some, otherwise in memory that may be swapped.
    ///
    /// Either way, neither core dumps nor forked children get it.
    case bestEffort

    /// What holds from now on.
    public static var policy: KeyMemory {
        get { SecretMemory.policy == .required ? .required : .bestEffort }
        set { SecretMemory.policy = newValue == .required ? .required : .bestEffort }
    }

    /// How many bytes of memory for keys and lent cleartext could not be locked, in use or not.
    public static var unlockedByteCount: Int { SecretArena.statistics.looseByteCount }
}
