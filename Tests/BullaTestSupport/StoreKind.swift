package import Bulla

/// How a store is sealed: by one of the suites, or not at all.
package enum StoreKind: String, CaseIterable, Sendable {
    case gcm, ctrHMAC, plain

    package static let encrypted: [StoreKind] = [.gcm, .ctrHMAC]

    package var suite: CipherSuite? {
        switch self {
        case .gcm: .aes256GCM
        case .ctrHMAC: .aes256CTRHMACSHA256
        case .plain: nil
        }
    }

    /// The key of all stores in the tests.
    package static let keyBytes = (0..<64).map { UInt8($0 * 3 + 7) }

    package func key() throws -> StoreKey? {
        self == .plain ? nil : try StoreKey(Self.keyBytes)
    }
}
