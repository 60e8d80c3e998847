internal import Bulla

/// The cipher suites by the names that the store gives them.
package enum BenchSuite: String, Codable, CaseIterable, Sendable {
    case aes256GCM = "aes-256-gcm"
    case aes256CTRHMACSHA256 = "aes-256-ctr-hmac-sha-256"

    var ofStore: CipherSuite {
        switch self {
        case .aes256GCM: .aes256GCM
        case .aes256CTRHMACSHA256: .aes256CTRHMACSHA256
        }
    }
}
