import Bulla
import Testing

/// What a store is sealed with: one of the suites, or nothing.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case gcm, ctrHMAC, plain

    static let encrypted: [StoreKind] = [.gcm, .ctrHMAC]

    var suite: CipherSuite? {
        switch self {
        case .gcm: .aes256GCM
        case .ctrHMAC: .aes256CTRHMACSHA256
        case .plain: nil
        }
    }

    var testDescription: String { rawValue }

    /// The key that all stores of the tests have.
    static let keyBytes = (0..<64).map { UInt8($0 * 3 + 7) }

    func key() throws -> StoreKey? { self == .plain ? nil : try StoreKey(Self.keyBytes) }

    /// Opens a store of this kind, and makes it where there is none.
    func open(
        _ path: String, pageByteCount: Int? = nil, _ adjust: (inout StoreOptions) -> Void = { _ in }
    ) throws -> Store {
        var options = StoreOptions()
        options.pageByteCount = pageByteCount
        options.suite = suite
        options.lockTimeout = TestMode.patience
        adjust(&options)
        return try Store.open(at: path, key: key(), options: options)
    }
}
