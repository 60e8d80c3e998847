import Testing

@Suite struct `A shell on a pipe` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
    }

    private func shell(_ lines: String, _ more: String...) throws -> CommandRun {
        try scratch.write("lines", lines.hasSuffix("\n") ? lines : lines + "\n")
        let options = more.joined(separator: " ")
        return try scratch.shell("\"$BULLA\" shell e.bulla --key-file key \(options) < lines")
    }

    @Test func `answers without a prompt, in the form of scan`() throws {
        let run = try shell(
            """
            # a comment, and an empty line

            use pets
            put tom "a cat\\n"
            get tom
            scan --limit 1
            scan --reverse --keys-only
            count --prefix t
            trees
            """)
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.text == "a cat\\n\nrex\ta good dog\ntom\nrex\n1\npets\t2\n")
        #expect(run.errors.isEmpty)
    }

    @Test func `answers in JSON to a program that asked for JSON`() throws {
        try scratch.bulla("put", "e.bulla", "pets", "k", "v", "--key-file", "key")
        let run = try shell("get pets k\ncount pets\ntrees\nnonsense\n", "--json")
        #expect(run.status == Status.usage)
        #expect(
            run.lines == [
                #"{"key":"k","keyEncoding":"utf-8","value":"v","valueEncoding":"utf-8"}"#,
                #"{"entryCount":2}"#, #"{"entryCount":2,"name":"pets","nameEncoding":"utf-8"}"#,
            ])
        #expect(run.errorMember("code") == "usage")
    }

    @Test func `ends with the first line that fails, its number and its status`() throws {
        let run = try shell("put pets a 1\nget pets nobody\nput pets b 2\n")
        #expect(run.status == Status.notFound)
        #expect(run.errors.hasPrefix("bulla: standard input: line 2: "))
        let keys = try scratch.bulla("scan", "e.bulla", "pets", "--keys-only", "--key-file", "key")
        #expect(keys.lines == ["a", "rex"])
        #expect(try shell("drop nothing\n").status == Status.notFound)
        let taken = try shell("create x\nrename x pets\n", "--json")
        #expect(taken.status == Status.cannotCreate)
        #expect(taken.errorMember("code") == "treeExists")
        #expect(try shell("commit\n").status == Status.usage)
    }

    @Test func `goes on after a line that fails where it is told to`() throws {
        let run = try shell("get pets nobody\nfrobnicate\ncount pets\n", "--keep-going")
        #expect(run.status == Status.success)
        #expect(run.text == "1\n")
        #expect(run.errors.contains("line 1: ") && run.errors.contains("line 2: "))
    }

    @Test func `makes all changes of a transaction at once, or none`() throws {
        let run = try shell(
            """
            begin
            use pets
            put tom cat
            count
            rollback
            count
            begin
            rename pets animals
            put tom cat
            count
            commit
            count animals
            """)
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.text == "2\n1\n2\n2\n")
        let cut = try shell("begin\nput animals x y\n")
        #expect(cut.status == Status.data)
        #expect(cut.errors.contains("nothing of it was kept"))
        let failed = try shell("begin\nput animals x y\nget animals nobody\ncommit\n")
        #expect(failed.status == Status.notFound)
        #expect(try shell("count animals\n").text == "2\n")
    }

    @Test func `reads words in every form that is documented`() throws {
        let run = try shell(
            #"""
            put pets "two words" 'as \x it is'
            get pets two\ words
            put pets hex:00ff base64:AP8=
            scan pets --prefix hex:00
            put pets "" x
            """#)
        #expect(run.status == Status.data)
        #expect(run.text == "as \\\\x it is\n\\x00\\xff\t\\x00\\xff\n")
        for wrong in [
            "put pets \"a b", "put pets 'a b", #"put pets a\q b"#, "put pets hex:0 b",
            "put pets base64:A b", "put pets base64:AB== b", "put pets a b c", "put pets a",
            "scan pets --limt 3", "scan pets --limit x", "get x", "put pets \"a\"b c", "begin now",
        ] {
            #expect(try shell(wrong + "\n").status == Status.usage, "\(wrong)")
        }
    }

    @Test func `tells everything that the commands of these names tell`() throws {
        let run = try shell("info\nstat pets\nhelp\n")
        #expect(run.text.contains("cipher     aes-256-gcm"))
        #expect(run.text.contains("entries    1"))
        #expect(run.text.contains("rollback"))
    }

    @Test func `deletes keys and ranges`() throws {
        let run = try shell(
            """
            put pets ra 1
            put pets rb 2
            put pets t 3
            delete pets --prefix r
            delete pets t
            count pets
            delete pets t
            """)
        #expect(run.text == "3 entries deleted\n0\n")
        #expect(run.status == Status.notFound)
    }
}
