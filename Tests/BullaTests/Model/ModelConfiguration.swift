import Bulla
import BullaTestSupport
import Testing

/// What a run of the model test is made on.
struct ModelConfiguration: Sendable, CustomTestStringConvertible {
    /// How much memory the store gets.
    enum Memory: String, CaseIterable, Sendable {
        case roomy
        /// So little that pages are evicted all the time, and sealed before their commit.
        case tight
    }

    let pageByteCount: Int
    let kind: StoreKind
    let memory: Memory

    static let all = StoreOptions.pageByteCounts.flatMap { pageByteCount in
        StoreKind.allCases.flatMap { kind in
            Memory.allCases.map {
                ModelConfiguration(pageByteCount: pageByteCount, kind: kind, memory: $0)
            }
        }
    }

    var testDescription: String { "\(pageByteCount) \(kind.rawValue) \(memory.rawValue)" }

    func open(_ path: String) throws -> Store {
        try kind.open(path, pageByteCount: pageByteCount) { options in
            guard memory == .tight else { return }
            options.cacheByteLimit = pageByteCount
            options.dirtyByteLimit = pageByteCount * 12
        }
    }
}
