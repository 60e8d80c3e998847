/// How much memory a process has for secrets, and how it is used.
package struct SecretStatistics: Sendable, Equatable {
    /// Bytes that are locked, in use or not.
    package var lockedByteCount = 0
    /// How many of the locked bytes are mapped only in this process (memfd_secret(2)).
    package var hiddenByteCount = 0
    /// Bytes that could not be locked.
    package var looseByteCount = 0
    /// Bytes that secrets take, including the overhead of each.
    package var usedByteCount = 0
    /// The greatest ``usedByteCount`` so far.
    package var peakByteCount = 0
    /// How many secrets exist that have not been wiped.
    package var secretCount = 0

    /// The statistics of a process without secrets.
    package init() {}
}
