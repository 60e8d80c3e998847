import Testing

@Suite struct `A tree by its name` {
    private let scratch: Scratch
    private let key = ["--key-file", "key"]

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
    }

    private func run(_ arguments: String...) throws -> CommandRun {
        try scratch.bulla(arguments + key)
    }

    @Test func `is dropped with all that is in it`() throws {
        #expect(try run("drop", "e.bulla", "pets").status == Status.success)
        #expect(try run("trees", "e.bulla").text.isEmpty)
        #expect(try run("drop", "e.bulla", "pets").status == Status.notFound)
        #expect(try run("check", "e.bulla").status == Status.success)
    }

    @Test func `gets another name, unless it is taken`() throws {
        #expect(try run("rename", "e.bulla", "pets", "animals").status == Status.success)
        #expect(try run("get", "e.bulla", "animals", "rex").text == "a good dog")
        #expect(try run("rename", "e.bulla", "pets", "x").status == Status.notFound)
        try scratch.bulla(["put", "e.bulla", "other", "k", "v"] + key)
        let taken = try run("rename", "e.bulla", "animals", "other")
        #expect(taken.status == Status.cannotCreate)
        #expect(taken.errors.contains("e.bulla"))
        #expect(try run("trees", "e.bulla").text == "animals\t1\nother\t1\n")
    }

    @Test func `may be any bytes, and is taken by every command as trees prints it`() throws {
        let names = [#"a\xff"#, #"back\\slash"#, #"tab\t"#, "two words"]
        for name in names {
            #expect(try run("put", "e.bulla", name, "k", name).status == Status.success)
        }
        let listed = try run("trees", "e.bulla").lines.map { $0.split(separator: "\t")[0] }
        #expect(Set(listed.map(String.init)) == Set(names + ["pets"]))
        for name in names {
            #expect(try run("get", "e.bulla", name, "k").text == name)
            #expect(try run("stat", "e.bulla", name).text.contains("tree       \(name)\n"))
        }
        #expect(try run("dump", "e.bulla", #"a\xff"#).text.contains(#"#tree a\xff"#))
        #expect(try run("rename", "e.bulla", #"a\xff"#, "plain").status == Status.success)
        let wrong = try run("get", "e.bulla", #"a\q"#, "k")
        #expect(wrong.status == Status.usage)
    }

    @Test func `says what it is made of, for people and for programs`() throws {
        let text = try run("stat", "e.bulla", "pets")
        #expect(text.status == Status.success, "\(text.errors)")
        for line in ["tree       pets", "entries    1", "height     1", "keys       3 bytes"] {
            #expect(text.lines.contains(line), "\(text.text)")
        }
        let json = try run("stat", "e.bulla", "pets", "--json")
        #expect(json.member("entryCount") == "1")
        #expect(json.member("valueByteCount") == "10")
        #expect(json.member("name") == "pets")
        #expect(try run("stat", "e.bulla").text == text.text)
        #expect(try run("stat", "e.bulla", "nothing").status == Status.notFound)
    }

    @Test func `that is mistyped is guessed at on a terminal, and in no log`() throws {
        let logged = try run("get", "e.bulla", "pest", "rex")
        #expect(logged.status == Status.notFound)
        #expect(logged.errors.contains("e.bulla") && logged.errors.contains("the verb trees"))
        #expect(!logged.errors.contains("pets") && !logged.errors.contains("pest"))
        let shown = try TypedRun(scratch, ["get", "e.bulla", "pest", "rex"] + key)
        try shown.until("asked for pest, did you mean pets?")
        #expect(try shown.end() == Status.notFound)
    }

    @Test func `loses a range of entries at once`() throws {
        for name in ["ra", "rb", "s", "t"] { _ = try run("put", "e.bulla", "pets", name, "x") }
        let prefix = try run("delete", "e.bulla", "pets", "--prefix", "r")
        #expect(prefix.status == Status.success, "\(prefix.errors)")
        #expect(prefix.text == "3 entries deleted\n")
        let none = try run("delete", "e.bulla", "pets", "--prefix", "r", "--json")
        #expect(none.status == Status.success)
        #expect(none.text == "{\"deleted\":0}\n")
        let range = try run("delete", "e.bulla", "pets", "--from", "73", "--to", "74", "--hex")
        #expect(range.text == "1 entry deleted\n")
        #expect(try run("scan", "e.bulla", "pets", "--keys-only").text == "t\n")
        #expect(try run("delete", "e.bulla", "pets", "--all", "--quiet").text.isEmpty)
        #expect(try run("trees", "e.bulla").text == "pets\t0\n")
        for wrong in [[], ["t", "--all"], ["--all", "--prefix", "x"], ["t", "--to", "x"]] {
            let run = try scratch.bulla(["delete", "e.bulla", "pets"] + wrong + key)
            #expect(run.status == Status.usage)
        }
        #expect(try run("delete", "e.bulla", "none", "--all").status == Status.notFound)
    }

    @Test func `says how many entries a range has`() throws {
        for name in ["ra", "rb", "t"] { _ = try run("put", "e.bulla", "pets", name, "x") }
        #expect(try run("scan", "e.bulla", "pets", "--count").text == "4\n")
        #expect(try run("scan", "e.bulla", "pets", "--count", "--prefix", "r").text == "3\n")
        #expect(try run("scan", "e.bulla", "pets", "--count", "--limit", "2").text == "2\n")
        let json = try run("scan", "e.bulla", "pets", "--count", "--from", "rb", "--json")
        #expect(json.text == "{\"entryCount\":3}\n")
        #expect(try run("scan", "e.bulla", "pets", "--count", "--raw").status == Status.usage)
    }
}
