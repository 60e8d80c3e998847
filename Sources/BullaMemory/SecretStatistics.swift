/// What memory for secrets there is in a process.
package struct SecretStatistics: Sendable, Equatable {
    /// Bytes that are locked, in use or not.
    package var lockedByteCount = 0
    /// Bytes of these that are mapped in this process alone (memfd_secret(2)).
    package var hiddenByteCount = 0
    /// Bytes that could not be locked.
    package var looseByteCount = 0
    /// Bytes that secrets have, with what each needs beside itself.
    package var usedByteCount = 0
    /// The most that there were of these.
    package var peakByteCount = 0
    /// How many secrets there are that were not wiped.
    package var secretCount = 0

    /// Of a process that has no secrets.
    package init() {}
}
