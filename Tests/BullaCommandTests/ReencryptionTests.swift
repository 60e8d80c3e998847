import Testing

@Suite struct `Renewing the secrets of a store` {
    private let scratch: Scratch
    private let key = ["--key-file", "key"]

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
    }

    private func addKey(_ name: String) throws {
        try scratch.bulla("keygen", name)
        let run = try scratch.bulla(["key", "add", "e.bulla", "--new-key-file", name] + key)
        try #require(run.status == Status.success, "\(run.errors)")
    }

    private func opens(_ file: String) throws -> Bool {
        let run = try scratch.bulla("get", "e.bulla", "pets", "rex", "--key-file", file)
        #expect([Status.success, Status.noPermission].contains(run.status), "\(run.errors)")
        return run.text == "a good dog"
    }

    @Test func `by rotating begins another epoch of data keys`() throws {
        let before = try scratch.bulla(["info", "e.bulla", "--json"] + key).member("keyEpoch")
        #expect(try scratch.bulla(["key", "rotate", "e.bulla"] + key).status == Status.success)
        let after = try scratch.bulla(["info", "e.bulla", "--json"] + key).member("keyEpoch")
        let epochs = [before, after].compactMap { $0.flatMap { Int($0) } }
        #expect(epochs.count == 2 && epochs[1] > epochs[0])
        #expect(try scratch.bulla("key", "rotate", "e.bulla").status == Status.usage)
    }

    @Test func `by re-encrypting keeps the key that opened it, and those that are given`() throws {
        for name in ["second", "third"] { try addKey(name) }
        let run = try scratch.bulla(
            ["key", "reencrypt", "e.bulla", "--keep-key-file", "second", "--json"]
                + ["--keep-key-source", "file:third"] + key)
        #expect(run.status == Status.success && run.member("isDone") == "1", "\(run.errors)")
        for name in ["key", "second", "third"] { #expect(try opens(name)) }
        #expect(try scratch.bulla(["check", "e.bulla"] + key).status == Status.success)
    }

    @Test func `by re-encrypting keeps a password`() throws {
        try scratch.write("word", "open sesame\n", mode: 0o600)
        let added = try scratch.bulla(
            ["key", "add", "e.bulla", "--new-key-file", "word", "--new-password"]
                + ["--kdf", "pbkdf2"] + key)
        try #require(added.status == Status.success, "\(added.errors)")
        let words = ["key", "reencrypt", "e.bulla", "--keep-password-source", "file:word"]
        #expect(try scratch.bulla(words + key).status == Status.success)
        let run = try scratch.bulla(
            "get", "e.bulla", "pets", "rex", "--password", "--key-file", "word")
        #expect(run.text == "a good dog", "\(run.errors)")
    }

    @Test func `by re-encrypting drops other slots only where that is asked for`() throws {
        try addKey("second")
        let words = ["key", "reencrypt", "e.bulla"] + key
        let refused = try scratch.bulla(words)
        #expect(refused.status == Status.usage)
        #expect(refused.errors.contains("--drop-other-slots"), "\(refused.errors)")
        #expect(try opens("second"))
        let run = try scratch.bulla(words + ["--drop-other-slots", "--pace", "0.9"])
        #expect(run.status == Status.success && run.output.isEmpty, "\(run.errors)")
        #expect(try opens("key") && !opens("second"))
    }

    @Test func `waits for a reader no longer than the time limit, and is resumed`() throws {
        // `bulla shell` keeps the store open until its input ends.
        let line = """
            mkfifo lines; "$BULLA" shell e.bulla --key-file key < lines > told & exec 3> lines
            echo 'get pets rex' >&3; until [ -s told ]; do sleep 0.01; done
            "$BULLA" key reencrypt e.bulla --key-file key --timeout 0.05; echo status $?
            "$BULLA" key reencrypt e.bulla --key-file key; echo status $?
            exec 3>&-; wait
            "$BULLA" key reencrypt e.bulla --key-file key --resume; echo status $?
            """
        let run = try scratch.shell(line)
        #expect(run.lines == ["status 75", "status 75", "status 0"], "\(run.errors)")
        #expect(run.errors.contains("--resume goes on"))
        #expect(try opens("key"))
    }

    @Test(arguments: [
        "", "--key-file key --resume --drop-other-slots", "--key-file key --pace 0",
        "--key-file key --resume --keep-key-file key", "--key-fd 3 --keep-key-source fd:3",
    ])
    func `is refused where the command line is wrong`(options: String) throws {
        let run = try scratch.shell("\"$BULLA\" key reencrypt e.bulla \(options)")
        #expect(run.status == Status.usage, "\(run.errors)")
    }
}
