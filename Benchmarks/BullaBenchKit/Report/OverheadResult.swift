internal import Foundation

/// All that a run found, as it is written for machines.
///
/// The schema is named and versioned: a field is never given another meaning under the same
/// version.
package struct OverheadResult: Encodable, Sendable {
    /// What the run was asked for.
    package struct Settings: Encodable, Sendable {
        package var workers: Int
        package var threads: Int
        package var target: Double
        package var secondLimit: Int
        package var roundLimit: Int
        package var seed: UInt64
        package var directory: String

        init(_ options: OverheadOptions) {
            workers = options.workers
            threads = options.threads
            target = options.target
            secondLimit = options.secondLimit
            roundLimit = options.roundLimit
            seed = options.seed
            directory = options.directory
        }
    }

    /// One input, and the digest that every store was verified against, before its changes.
    package struct Input: Encodable, Sendable {
        package var name: String
        package var recordCount: Int
        package var payloadByteCount: Int
        package var replacedCount: Int
        package var digest: Digest

        init(_ source: Source) {
            name = source.name
            recordCount = source.recordCount
            payloadByteCount = source.payloadByteCount
            replacedCount = source.replacedCount
            digest = source.digest
        }
    }

    package var schema = "bulla-bench.overhead"
    package var schemaVersion = 1
    package var settings: Settings
    package var machine: Machine
    package var noise: MachineNoise
    package var seconds: Double
    package var inputs: [Input]
    package var rows: [OverheadRow]
    package var verdict: Verdict

    /// As JSON with its keys sorted, so that two results can be compared by line.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
