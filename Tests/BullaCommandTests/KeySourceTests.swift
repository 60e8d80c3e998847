import Bulla
import Foundation
import Testing

@Suite struct `A key source` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
    }

    /// Runs `bulla get` for the one entry in a shell, with these options for the key.
    private func get(_ key: String, after line: String = "true") throws -> CommandRun {
        try scratch.shell("\(line); \"$BULLA\" get e.bulla pets rex \(key)")
    }

    @Test(arguments: [
        ("--key-source file:key", "true"), ("--key-source fd:3 3< key", "true"),
        ("--key-source fd:0 < key", "true"),
        ("--key-source credential:key", "export CREDENTIALS_DIRECTORY=$PWD"),
        ("--key-source env:BULLA_KEY", "export BULLA_KEY=$(cat key)"),
    ])
    func `gives 128 digits, wherever they are`(options: String, line: String) throws {
        let run = try get(options, after: line)
        #expect(run.text == "a good dog", "\(run.errors)")
    }

    @Test(arguments: [("file:raw", ""), ("fd:3", "3< raw"), ("credential:raw", "")])
    func `gives 64 bytes too, the last of which is that of a newline`(
        source: String, input: String
    ) throws {
        try scratch.write("raw", [UInt8](repeating: 0x0A, count: 64), mode: 0o600)
        let made = try scratch.shell(
            """
            export CREDENTIALS_DIRECTORY=$PWD
            "$BULLA" create raw.bulla --key-source \(source) \(input) &&
                "$BULLA" info raw.bulla --key-file raw
            """)
        #expect(made.status == Status.success, "\(made.errors)")
    }

    @Test func `in a keyring of the kernel is read there, where the kernel allows it`() throws {
        let name = scratch.directory.lastPathComponent
        let digits = String(decoding: try scratch.read("key"), as: UTF8.self)
        let source = KeyringKeySource(name, in: .user)
        let options = "--key-source keyring:user:\(name)"
        do { try source.store(Secret(digits), expiringAfter: .seconds(600)) } catch {
            #expect(error.code == .keySourceDenied)
            let denied = try get(options + " --json")
            #expect(denied.errorMember("code") == "keySourceDenied")
            return #expect(denied.status == Status.noPermission)
        }
        defer { try? source.remove() }
        let run = try get(options)
        #expect(run.text == "a good dog", "\(run.errors)")
    }

    @Test func `gives a password through a pipe that a shell has made`() throws {
        let line = """
            bash -c '"$BULLA" create piped.bulla --password --key-file <(echo open sesame) &&
                "$BULLA" info piped.bulla --password --key-source file:/dev/fd/3 \
                    3< <(printf "open sesame")'
            """
        let run = try scratch.shell(line)
        #expect(run.status == Status.success, "\(run.errors)")
    }

    @Test func `in the environment is warned of, and shows nothing of it`() throws {
        let run = try get("--key-source env:BULLA_KEY", after: "export BULLA_KEY=$(cat key)")
        let digits = String(decoding: try scratch.read("key").prefix(16), as: UTF8.self)
        #expect(run.errors.contains("warning") && run.errors.contains("BULLA_KEY"))
        #expect(!run.errors.contains(digits))
    }

    @Test(arguments: [
        ("file:nowhere", Status.noInput, "keySourceMissing"),
        ("file:link", Status.noPermission, "keyFileLink"),
        ("file:open", Status.noPermission, "keyFileMode"),
        ("file:empty", Status.noPermission, "keySourceEmpty"),
        ("file:short", Status.noPermission, "invalidKeyLength"),
        ("credential:nowhere", Status.noInput, "keySourceMissing"),
        ("env:BULLA_NOTHING", Status.noInput, "keySourceMissing"),
        ("prompt", Status.noPermission, "keyPromptUnavailable"),
    ])
    func `that is missing or unsafe is refused with a code of its own`(
        source: String, status: Int32, code: String
    ) throws {
        try scratch.shell(
            """
            umask 077; ln -s key link; cp key open; chmod 644 open; : > empty
            printf sesame-open > short
            """)
        let run = try scratch.shell(
            "setsid --wait \"$BULLA\" info e.bulla --json --key-source \(source)")
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errorMember("code") == code, "\(run.errors)")
        #expect(!run.errors.contains("sesame"))
    }

    @Test(arguments: [
        "--key-source sesame-open", "--key-source keyring:sesame-open:x", "--key-source fd:-1",
        "--key-source file:", "--key-source file:key --key-file key",
        "--key-source file:key --key-fd 3", "--password", "--key-file key --slot ada",
    ])
    func `that is unknown, or one too many, is a wrong command line`(options: String) throws {
        let run = try get(options)
        #expect(run.status == Status.usage)
        #expect(run.output.isEmpty && !run.errors.contains("sesame"), "\(run.errors)")
    }

    @Test func `is asked at the terminal, which shows nothing of what is typed`() throws {
        let arguments = ["create", "typed.bulla", "--key-source", "prompt", "--password"]
        let first = try TypedRun(scratch, arguments, isControlling: true)
        try first.until("Password: ")
        try first.type("open sesame\r")
        #expect(try first.end() == Status.success)
        try scratch.write("typed", "open sesame\n", mode: 0o600)
        let run = try scratch.bulla(
            "info", "typed.bulla", "--password", "--key-source", "file:typed")
        #expect(run.status == Status.success, "\(run.errors)")
        let second = try TypedRun(
            scratch, ["info", "typed.bulla", "--key-source", "prompt", "--password"],
            isControlling: true)
        try second.until("Password: ")
        try second.type("open sesame\r")
        #expect(try !second.until("cipher").contains("sesame"))
        #expect(try second.end() == Status.success)
    }
}
