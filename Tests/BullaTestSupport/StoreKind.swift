package import Bulla

/// How a store is sealed: by one of the suites, or not at all.
package enum StoreKind: String, CaseIterable, Sendable {
    case gcm, ctrHMAC, plain

    /// In the short mode, a build with checks leaves the second suite to the other build.
    package static let allCases: [StoreKind] = isShort ? [.gcm, .plain] : [.gcm, .ctrHMAC, .plain]

    package static let encrypted = allCases.filter { $0 != .plain }

    private static var isShort: Bool { TestMode.hasChecks && !TestMode.isLong }

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
