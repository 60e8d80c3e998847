/// How the pages of a file are sealed.
///
/// The raw value is written in the file.
package enum Suite: UInt8, CaseIterable, Sendable {
    /// No key: a checksum instead of the tag.
    ///
    /// Finds accidental damage, but no attacks.
    case plain = 0
    /// AES-256-GCM (NIST SP 800-38D).
    case aes256GCM = 1
    /// AES-256-CTR (NIST SP 800-38A), then HMAC-SHA-256 (FIPS 198-1) cut to 16 bytes.
    case aes256CTRHMACSHA256 = 2
}
