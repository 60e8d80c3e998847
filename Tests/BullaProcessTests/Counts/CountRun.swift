import BullaProcessSupport
import BullaTestSupport
import Foundation
import Testing

/// The counting program's report on itself and on a store.
struct CountRun {
    /// The cost of each stretch of work, by name.
    private let numbers: [String: UInt64]

    /// One run for each kind of store, shared by all tests.
    private static let runs = Dictionary(
        uniqueKeysWithValues: StoreKind.allCases.map { kind in
            (kind, Result { try CountRun(kind.rawValue) })
        })

    private static let probe = Result { try CountRun("probe") }

    /// The report of a run with a store of that kind.
    static func of(_ kind: StoreKind) throws -> CountRun { try #require(runs[kind]).get() }

    /// - Parameters:
    ///   - job: the kind of a store, or `probe`.
    private init(_ job: String) throws {
        let scratch = try Scratch()
        let program = try WorkerProcess.executable("BullaCounts")
        let child = try ChildProcess(
            program, [job, scratch.path("counted.bulla")], key: nil,
            errors: scratch.path("errors"))
        var bytes: [UInt8] = []
        while try child.read(into: &bytes, patience: TestMode.patience) {}
        guard try child.wait(patience: TestMode.patience) == .done else {
            throw CountRunFailed(said: String(decoding: try scratch.bytes("errors"), as: UTF8.self))
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        numbers = Dictionary(
            uniqueKeysWithValues: try lines.map { try WorkerProcess.parse(String($0)) })
    }

    func allocations(_ name: String) throws -> UInt64 {
        try #require(numbers["\(name).allocations"])
    }

    func calls(_ name: String) throws -> UInt64 { try #require(numbers["\(name).calls"]) }

    func references(_ name: String) throws -> UInt64 { try #require(numbers["\(name).references"]) }

    // MARK: What can be counted here

    /// A sanitizer has an allocator of its own, whose allocations are not counted; and the
    /// allocations of a debug build do not matter.
    static let countsAllocations = isOptimized && hasProbed("allocations")

    /// A system can forbid tracing other processes.
    static let countsCalls = hasProbed("calls")

    private static func hasProbed(_ what: String) -> Bool {
        // A failing program is no reason to skip the tests.
        guard case .success(let probe) = probe else { return true }
        return probe.numbers["probe.\(what)"] != nil
    }

    #if DEBUG
    private static let isOptimized = false
    #else
    private static let isOptimized = true
    #endif
}

/// The counting program did not end well.
struct CountRunFailed: Error {
    let said: String
}
