import Testing

@Suite struct `The slots of a store` {
    private let scratch: Scratch
    private let key = ["--key-file", "key"]

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.write("word", "open sesame\n", mode: 0o600)
        try scratch.write("other", "shut sesame\n", mode: 0o600)
    }

    /// Adds the password in a file, with the fastest stretching.
    private func addPassword(_ file: String, _ options: String...) throws -> CommandRun {
        try scratch.bulla(
            ["key", "add", "e.bulla", "--new-key-file", file, "--new-password"]
                + ["--kdf", "pbkdf2"] + key + options)
    }

    private func list(_ options: String...) throws -> [String] {
        try scratch.bulla(["key", "list", "e.bulla"] + options).lines
    }

    private func opens(_ options: String...) throws -> Bool {
        let run = try scratch.bulla(["get", "e.bulla", "pets", "rex"] + options)
        #expect([Status.success, Status.noPermission].contains(run.status), "\(run.errors)")
        return run.text == "a good dog"
    }

    @Test func `are listed without a key, and said to be unverified`() throws {
        let run = try scratch.bulla("key", "list", "e.bulla")
        #expect(run.status == Status.success)
        #expect(run.lines.count == 2 && run.lines[0].hasPrefix("number  kind"))
        #expect(run.lines[1].split(separator: " ") == ["1", "key", "-", "-"])
        #expect(run.errors.contains("no key of it verified anything"))
        let claimed = try scratch.bulla("key", "list", "e.bulla", "--json")
        #expect(claimed.member("isVerified") == "0" && claimed.errors.isEmpty, "\(claimed.text)")
        let verified = try scratch.bulla(["key", "list", "e.bulla", "--json"] + key)
        #expect(verified.member("isVerified") == "1" && verified.member("openedSlot") == "1")
        #expect(try scratch.bulla(["key", "list", "e.bulla"] + key).errors.isEmpty)
    }

    @Test func `do not exist in a plain store`() throws {
        try scratch.makePlain()
        let run = try scratch.bulla("key", "list", "p.bulla")
        #expect(run.status == Status.noPermission)
        #expect(!run.errors.contains("leave out"), "\(run.errors)")
        #expect(try scratch.bulla("key", "list", "nowhere").status == Status.noInput)
    }

    @Test func `take a password, which opens the store from then on`() throws {
        let run = try addPassword("word", "--label", "ada")
        #expect(run.status == Status.success && run.text == "2\n", "\(run.errors)")
        #expect(try list()[2].hasPrefix("2       password  ada    PBKDF2-HMAC-SHA-256, 600000"))
        #expect(try opens("--password", "--key-file", "word"))
        #expect(try opens("--password", "--key-source", "file:word", "--slot", "ada"))
        #expect(try !opens("--password", "--key-file", "word", "--slot", "eve"))
        #expect(try !opens("--password", "--key-file", "other"))
        let piped = try scratch.shell(
            #"cat word | "$BULLA" get e.bulla pets rex --password --key-fd 0"#)
        #expect(piped.text == "a good dog", "\(piped.errors)")
    }

    @Test func `take a password that is typed twice the same`() throws {
        let words =
            ["key", "add", "e.bulla", "--new-key-source", "prompt", "--new-password"] + key
        let run = try TypedRun(scratch, words, isControlling: true)
        for question in ["New password: ", "Once more: "] {
            try run.until(question)
            try run.type("open sesame\r")
        }
        #expect(try run.end() == Status.success)
        #expect(try opens("--password", "--key-file", "word"))
        let other = try TypedRun(scratch, words, isControlling: true)
        for (question, answer) in [("New password: ", "a\r"), ("Once more: ", "b\r")] {
            try other.until(question)
            try other.type(answer)
        }
        #expect(try other.end() == Status.noPermission)
        #expect(try list().count == 3)
    }

    @Test func `take a second key under a label of its own`() throws {
        try scratch.bulla("keygen", "paper")
        let words = ["key", "add", "e.bulla", "--new-key-file", "paper", "--label", "paper"]
        let run = try scratch.bulla(words + key + ["--json"])
        #expect(run.member("slot") == "2", "\(run.errors)")
        #expect(try opens("--key-file", "paper") && opens("--key-file", "key"))
        #expect(try scratch.bulla(words + key).status == Status.usage)
    }

    @Test(arguments: [
        "", "--new-password", "--new-key-file key --new-key-fd 3",
        "--new-key-file word --kdf pbkdf2", "--new-key-file word --new-password --log-n 16",
        "--new-key-file word --new-password --iterations 700000",
        "--new-key-file word --new-password --kdf pbkdf2 --iterations 1000",
        "--new-key-file word --new-password --kdf pbkdf2 --log-n 17",
        "--new-key-file word --new-password --calibrate 0",
        "--new-key-file word --new-password --calibrate 100 --log-n 18",
    ])
    func `refuse what says no key, or stretches too little`(options: String) throws {
        let digest = try scratch.digest("e.bulla")
        let run = try scratch.shell("\"$BULLA\" key add e.bulla --key-file key \(options)")
        #expect(run.status == Status.usage, "\(run.errors)")
        #expect(try scratch.digest("e.bulla") == digest)
    }

    /// Scrypt with the floor's memory always takes longer than a millisecond; what half a second
    /// allows depends on the machine.
    @Test(arguments: [(1, 17...17), (500, 17...20)])
    func `take a password as strongly stretched as the time allows, and not less than the floor`(
        milliseconds: Int, strengths: ClosedRange<Int>
    ) throws {
        let words = ["key", "add", "e.bulla", "--new-key-file", "word", "--new-password"]
        let run = try scratch.bulla(words + ["--calibrate", "\(milliseconds)"] + key)
        #expect(run.status == Status.success && run.text == "2\n", "\(run.errors)")
        let slot = try list()[2]
        let chosen = strengths.filter { slot.hasSuffix("scrypt, N = 2^\($0), r = 8, p = 1") }
        #expect(chosen.count == 1, "\(slot)")
        #expect(try opens("--password", "--key-file", "word"))
        #expect(try !opens("--password", "--key-file", "other"))
    }

    @Test func `take no fourth password without a label`() throws {
        for number in 1...3 {
            try scratch.write("word\(number)", "word \(number)", mode: 0o600)
            #expect(try addPassword("word\(number)").status == Status.success)
        }
        #expect(try addPassword("other").status == Status.cannotCreate)
        #expect(try addPassword("other", "--label", "other").status == Status.success)
    }

    @Test func `tell by the status whether a key is one of theirs`() throws {
        #expect(try scratch.bulla(["key", "verify", "e.bulla"] + key).status == Status.success)
        try scratch.bulla("keygen", "wrong")
        let digest = try scratch.digest("e.bulla")
        let run = try scratch.bulla("key", "verify", "e.bulla", "--key-file", "wrong", "--json")
        #expect(run.status == Status.noPermission && run.errorMember("code") == "wrongKey")
        #expect(try scratch.bulla("key", "verify", "e.bulla").status == Status.usage)
        #expect(try scratch.digest("e.bulla") == digest)
    }

    @Test func `are removed by their numbers, and never the last one`() throws {
        #expect(try addPassword("word").status == Status.success)
        #expect(
            try scratch.bulla(["key", "remove", "e.bulla", "7"] + key).status == Status.notFound)
        let removed = try scratch.bulla(["key", "remove", "e.bulla", "2"] + key)
        #expect(removed.status == Status.success && removed.output.isEmpty)
        #expect(try !opens("--password", "--key-file", "word"))
        let last = try scratch.bulla(["key", "remove", "e.bulla", "1", "--json"] + key)
        #expect(last.status == Status.usage && last.errorMember("code") == "lastKeySlot")
        #expect(try opens("--key-file", "key"))
    }

    @Test func `get another key: the one that opened the store, or one by its number`() throws {
        try scratch.bulla("keygen", "new")
        #expect(try addPassword("word", "--label", "ada").status == Status.success)
        let change = ["key", "change", "e.bulla"]
        let second =
            ["2", "--new-key-file", "other", "--new-password", "--kdf", "pbkdf2"] + key
        #expect(try scratch.bulla(change + second).status == Status.success)
        #expect(try !opens("--password", "--key-file", "word"))
        #expect(try opens("--password", "--key-file", "other", "--slot", "ada"))
        #expect(
            try scratch.bulla(change + ["--new-key-file", "new"] + key).status == Status.success)
        #expect(try opens("--key-file", "new") && !opens("--key-file", "key"))
        let missing = ["7", "--new-key-file", "key", "--key-file", "new"]
        #expect(try scratch.bulla(change + missing).status == Status.notFound)
    }
}
