import Bulla
import BullaTestSupport
import Testing

/// The configuration of a run of the model test.
struct ModelConfiguration: Sendable, CustomTestStringConvertible {
    /// How much memory the store gets.
    enum Memory: String, CaseIterable, Sendable {
        case roomy
        /// So little that pages are evicted constantly, and changed pages are sealed before their
        /// commit.
        case tight
    }

    let pageByteCount: Int
    let kind: StoreKind
    let memory: Memory
    /// How many bytes each half of the store's log has; `nil` for the default.
    var logHalfByteCount: UInt64?

    /// Configurations with logs so short that checkpoints are made constantly and transactions
    /// outgrow them, and with longer logs.
    static let logged = [4096, 65536].flatMap { pageByteCount in
        StoreKind.allCases.flatMap { kind in
            [(Memory.roomy, UInt64(256 << 10)), (.tight, 256 << 10), (.roomy, 2 << 20)].map {
                ModelConfiguration(
                    pageByteCount: pageByteCount, kind: kind, memory: $0, logHalfByteCount: $1)
            }
        }
    }

    static let all = StoreOptions.pageByteCounts.flatMap { pageByteCount in
        StoreKind.allCases.flatMap { kind in
            Memory.allCases.map {
                ModelConfiguration(pageByteCount: pageByteCount, kind: kind, memory: $0)
            }
        }
    }

    var testDescription: String {
        let log = logHalfByteCount.map { ", halves of \($0 >> 10) KiB" } ?? ""
        return "\(pageByteCount) \(kind.rawValue) \(memory.rawValue)\(log)"
    }

    func open(_ path: String) throws -> Store {
        try kind.open(path, pageByteCount: pageByteCount) { options in
            if let logHalfByteCount { options.fixLog(halfByteCount: logHalfByteCount) }
            guard memory == .tight else { return }
            options.cacheByteLimit = pageByteCount
            options.dirtyByteLimit = pageByteCount * 12
        }
    }
}
