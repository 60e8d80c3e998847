import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

/// A process that takes a secret from a source.
struct SecretWorker {
    /// The secret of a source, or the code of its refusal.
    enum Answer: Equatable {
        case secret([UInt8])
        case refused(BullaError.Code)
        case digest(UInt64)

        static func text(_ text: String) -> Answer { .secret(Array(text.utf8)) }
    }

    let process: WorkerProcess

    init(
        _ files: TestStore, _ values: [String], variables: [String] = [], launcher: [String] = []
    ) throws {
        let environment = variables.isEmpty ? [] : ["/usr/bin/env"] + variables
        process = try WorkerProcess(
            ["secret", "path=\(files.path)"] + values, key: nil,
            errors: files.scratch.path("errors"), launcher: launcher + environment)
    }

    /// The worker's answer; the worker lives on.
    func answer() throws -> Answer {
        let parts = try #require(try process.line()).split(separator: "=", maxSplits: 1)
        try #require(parts.count == 2)
        switch parts[0] {
        case "secret": return .secret(Self.bytes(parts[1]))
        case "digest": return .digest(try #require(UInt64(parts[1])))
        default:
            let number = try #require(UInt64(parts[1]))
            return .refused(try #require(BullaError.Code(number: number)))
        }
    }

    /// The worker's answer; the worker must end well.
    func finalAnswer(sourceLocation: SourceLocation = #_sourceLocation) throws -> Answer {
        let answer = try answer()
        _ = try process.stop(sourceLocation: sourceLocation)
        return answer
    }

    private static func bytes(_ digits: Substring) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
