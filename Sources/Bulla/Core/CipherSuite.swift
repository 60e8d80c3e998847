/// The authenticated encryption that seals the pages of a store.
///
/// It is chosen at creation, and never changes.
public enum CipherSuite: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// AES-256 in Galois/counter mode (NIST SP 800-38D): the default.
    case aes256GCM = 1
    /// AES-256 in counter mode (NIST SP 800-38A), then HMAC-SHA-256 over its output (FIPS 198-1).
    case aes256CTRHMACSHA256 = 2

    /// The suite's name, as `bulla info` prints it.
    public var description: String {
        switch self {
        case .aes256GCM: "aes-256-gcm"
        case .aes256CTRHMACSHA256: "aes-256-ctr-hmac-sha-256"
        }
    }
}
