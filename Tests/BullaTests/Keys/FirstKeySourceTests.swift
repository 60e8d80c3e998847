import Bulla
import BullaTestSupport
import Foundation
import Logging
import Synchronization
import Testing

@Suite struct `Several sources of a secret` {
    /// A source that always gives the same answer, and counts how often it is asked.
    private final class Fixed: KeySource {
        let name: String
        let asked = Atomic(0)
        private let answer: Result<String, BullaError>

        init(_ name: String, _ answer: Result<String, BullaError>) {
            (self.name, self.answer) = (name, answer)
        }

        static func refusing(_ code: BullaError.Code) -> Fixed {
            Fixed("the \(code) one", .failure(BullaError(code, "refused")))
        }

        func load() throws(BullaError) -> Secret {
            asked.add(1, ordering: .relaxed)
            return try Secret(answer.get())
        }
    }

    @Test func `are asked in order, until one has it`() throws {
        let (first, second) = (Fixed("first", .success("one")), Fixed("second", .success("two")))
        for (sources, taken) in [
            ([first, second], "one"), ([second, first], "two"),
            ([.refusing(.keySourceMissing), second, first], "two"),
        ] {
            let secret = try FirstKeySource(sources).load()
            #expect(secret.withBytes { $0.copied() } == Array(taken.utf8))
        }
        #expect(first.asked.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: BullaError.Code.all)
    func `end with the first that refuses, unless it is missing`(code: BullaError.Code) throws {
        let last = Fixed("last", .success("weaker"))
        let error = refusal { _ = try FirstKeySource([Fixed.refusing(code), last]).load() }
        #expect(error?.code == (code == .keySourceMissing ? nil : code))
        #expect(last.asked.load(ordering: .relaxed) == (code == .keySourceMissing ? 1 : 0))
    }

    @Test func `are missing where all are, by their names`() throws {
        let sources = [
            Fixed("first", .failure(BullaError(.keySourceMissing, ""))),
            Fixed("second", .failure(BullaError(.keySourceMissing, ""))),
        ]
        let error = refusal { _ = try FirstKeySource(sources).load() }
        #expect(error?.code == .keySourceMissing)
        #expect(error.says("first") && error.says("second"))
        #expect(refusal { _ = try FirstKeySource([]).load() }?.code == .keySourceMissing)
    }

    @Test func `are files of which a damaged one is not passed over`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("strong".utf8), to: "first")
        try scratch.write(Array("weak".utf8), to: "second")
        try scratch.setMode(0o600, of: "second")
        let sources = FirstKeySource(
            ["none", "first", "second"].map { FileKeySource(scratch.path($0)) })
        try scratch.setMode(0o644, of: "first")
        #expect(refusal { _ = try sources.load() }?.code == .keyFileMode)
        try scratch.setMode(0o600, of: "first")
        #expect(try sources.load().withBytes { $0.copied() } == Array("strong".utf8))
        try scratch.remove("first")
        #expect(try sources.load().withBytes { $0.copied() } == Array("weak".utf8))
    }
}

@Suite struct `A secret in the environment` {
    /// Keeps everything that is logged.
    private struct Keeper: LogHandler {
        let kept: Kept
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        final class Kept: Sendable {
            let lines = Mutex<[String]>([])
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            kept.lines.withLock {
                $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])")
            }
        }
    }

    @Test func `is warned of, without the secret`() throws {
        // A variable that every test process has.
        let (name, value) = try #require(
            ProcessInfo.processInfo.environment.first { $0.key == "PATH" })
        let kept = Keeper.Kept()
        let logger = Logger(label: "test") { _ in Keeper(kept: kept) }
        let secret = try EnvironmentKeySource(name, logger: logger).load()
        #expect(secret.withBytes { $0.copied() } == Array(value.utf8))
        let lines = kept.lines.withLock { $0 }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("warning") == true)
        #expect(lines.first?.contains(name) == true && lines.first?.contains(value) == false)
    }

    @Test(arguments: ["", "A=B", "A\0B"])
    func `has a name that variables have`(name: String) {
        #expect(
            refusal { _ = try EnvironmentKeySource(name).load() }?.code == .invalidArgument)
    }
}
