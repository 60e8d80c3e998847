internal import Bulla

/// When a commit of the harness returns.
package enum BenchDurability: String, Codable, CaseIterable, Sendable {
    /// When the disk has it.
    case full
    /// At once; the disk has it within a second.
    case relaxed

    var ofStore: Durability {
        switch self {
        case .full: .full
        case .relaxed: .relaxed(within: .seconds(1))
        }
    }
}
