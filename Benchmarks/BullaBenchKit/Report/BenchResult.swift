internal import Foundation

/// All that a run found, as it is written for machines and read back by `compare`, `merge` and
/// `report`.
///
/// The schema is named and versioned: a field is never given another meaning under the same
/// version, and a reader refuses a version that it does not know.
package struct BenchResult: Codable, Sendable {
    package static let schemaName = "bulla-bench.result"
    package static let currentVersion = 2

    package var schema = Self.schemaName
    package var schemaVersion = Self.currentVersion
    /// What was run: `overhead`, `peers`.
    package var command: String
    package var identity: RunIdentity
    package var settings: RunSettings
    package var machine: Machine
    package var noise: MachineNoise
    package var seconds: Double
    package var inputs: [ResultInput]
    package var contenders: [ContenderFacts]
    /// Where threads really were, where a placement was asked for.
    package var places: [String]
    /// What was asked for and left out, each by name and with the reason.
    package var skipped: [String]
    package var rows: [ResultRow]
    package var verdict: Verdict
    /// Why the run ended before it was done; nil where it was not.
    ///
    /// The rows then hold the rounds that were finished.
    package var failure: String?

    package init(
        command: String, identity: RunIdentity, settings: RunSettings, machine: Machine,
        noise: MachineNoise, seconds: Double, inputs: [ResultInput], contenders: [ContenderFacts],
        places: [String] = [], skipped: [String], rows: [ResultRow], failure: String?
    ) {
        self.command = command
        self.identity = identity
        self.settings = settings
        self.machine = machine
        self.noise = noise
        self.seconds = seconds
        self.inputs = inputs
        self.contenders = contenders
        self.places = places
        self.skipped = skipped
        self.rows = rows
        self.failure = failure
        verdict = Verdict(all: rows.compactMap(\.verdict))
    }

    /// As JSON with its keys sorted, so that two results can be compared by line.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
