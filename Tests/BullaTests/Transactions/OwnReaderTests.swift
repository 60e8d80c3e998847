import BullaTestSupport
import Foundation
import Testing

/// Programs that import the library cannot reach what a transaction reads from.
@Suite struct `A reader of one's own` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Whether the compiler accepts a program that imports the library as built for these tests,
    /// and what the compiler says.
    private func compiles(_ source: String) throws -> (isAccepted: Bool, errors: String) {
        try scratch.write(Array("import Bulla\n\(source)\n".utf8), to: "main.swift")
        let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().path
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let maps = ["CBullaCipher", "CBullaShared", "CBullaTopology"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(built)/\($0).build/module.modulemap"]
        }
        compiler.arguments =
            ["swiftc", "-typecheck", "-swift-version", "6", "-I", "\(built)/Modules"] + maps
            + [scratch.path("main.swift")]
        let errors = Pipe()
        compiler.standardError = errors
        try compiler.run()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        compiler.waitUntilExit()
        return (compiler.terminationStatus == 0, text)
    }

    @Test func `reads with the verbs that snapshots and transactions share`() throws {
        let result = try compiles(
            """
            func names<R: TreeReader & ~Copyable>(_ reader: borrowing R) throws -> [TreeName] {
                try reader.treeNames()
            }
            func run(_ store: Store) throws {
                try store.read { print(try names($0)) }
                try store.write { print(try names($0)) }
            }
            """)
        #expect(result.isAccepted, "\(result.errors)")
    }

    @Test(arguments: [
        "struct Peek: TreeReader { let access: TreeAccess }",
        "func f(_ store: Store) throws { try store.write { print($0.access) } }",
        "func f(_ store: Store) throws { let s = try store.makeSnapshot(); print(s.access) }",
        "struct Peek: TreeReader {}",
    ])
    func `is not accepted where it asks for what they read from`(source: String) throws {
        let result = try compiles(source)
        #expect(!result.isAccepted)
        // The compiler refuses it for this reason.
        #expect(
            ["TreeAccess", "'access'", "does not conform to protocol 'TreeReader'"]
                .contains { result.errors.contains($0) }, "\(result.errors)")
    }
}
