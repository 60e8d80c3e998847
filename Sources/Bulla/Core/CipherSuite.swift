internal import BullaCipher

/// The authenticated encryption that seals the pages of a store.
///
/// A store's suite is chosen at its creation, and never changes. A later version may know more
/// suites.
public struct CipherSuite: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The suite's name, as `bulla info` prints it.
    public let rawValue: String

    /// The suite with the given name, whether or not this version knows it; opening a store refuses
    /// an unknown suite.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The suite's name.
    public var description: String { rawValue }

    /// AES-256 in Galois/counter mode (NIST SP 800-38D): the default.
    public static let aes256GCM = CipherSuite(rawValue: "aes-256-gcm")
    /// AES-256 in counter mode (NIST SP 800-38A), then HMAC-SHA-256 over its output (FIPS 198-1).
    public static let aes256CTRHMACSHA256 = CipherSuite(rawValue: "aes-256-ctr-hmac-sha-256")
}

extension CipherSuite: CaseIterable {
    /// Every suite that this version knows.
    public static let allCases: [CipherSuite] = [.aes256GCM, .aes256CTRHMACSHA256]
}

extension CipherSuite {
    /// The public form of a suite of the cipher module; `nil` for a plain store's suite.
    init?(_ suite: Suite) {
        switch suite {
        case .plain: return nil
        case .aes256GCM: self = .aes256GCM
        case .aes256CTRHMACSHA256: self = .aes256CTRHMACSHA256
        }
    }

    /// This suite as the cipher module knows it; `nil` if this version does not know the suite.
    var ofPages: Suite? { Suite.allCases.first { CipherSuite($0) == self } }
}
