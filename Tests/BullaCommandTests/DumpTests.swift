import Testing

@Suite struct `A dump` {
    private func makeStore() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.makeEncrypted("s")
        let puts: [(String, String, [UInt8])] = [
            ("pets", "empty", []), ("pets", "#tree", Array("#end\n".utf8)),
            (#"a\tb\\c"#, "k", `A value`.allBytes), ("pets", "tab\tkey\n", Array("\t\\x41".utf8)),
        ]
        for (tree, key, value) in puts {
            let run = try scratch.bulla("put", "s", tree, key, "--key-file", "key", input: value)
            try #require(run.status == 0, "\(run.errors)")
        }
        try scratch.shell(
            #"head -c 300000 /dev/urandom | "$BULLA" put s big large --key-file key"#)
        try scratch.write("empty.csv", "")
        try scratch.bulla("load", "s", "nothing", "empty.csv", "--key-file", "key")
        return scratch
    }

    @Test func `loads back exactly`() throws {
        let scratch = try makeStore()
        let dump = try scratch.bulla("dump", "s", "--output", "d", "--key-file", "key")
        #expect(dump.status == Status.success, "\(dump.errors)")
        let load = try scratch.bulla("load", "new", "d", "--format", "dump", "--create", "--json")
        #expect(load.status == Status.success, "\(load.errors)")
        #expect(load.member("records") == "6")
        #expect(try scratch.shell(#""$BULLA" dump new | cmp - d"#).status == 0)
        #expect(
            try scratch.bulla("trees", "new").text
                == scratch.bulla("trees", "s", "--key-file", "key").text)
        #expect(
            try scratch.bulla("get", "new", #"a\tb\\c"#, "k").output == `A value`.allBytes)
    }

    @Test func `is text, whatever is in the store`() throws {
        let scratch = try makeStore()
        try scratch.bulla("dump", "s", "--output", "d", "--key-file", "key")
        #expect(try scratch.shell("stat -c %a d").text == "600\n")
        #expect(try scratch.shell("iconv -f UTF-8 -t UTF-8 d > same").status == 0)
        #expect(
            try scratch.shell(#"LC_ALL=C tr -d '\t\n\040-\176\200-\377' < d | wc -c"#).text == "0\n"
        )
        #expect(try scratch.shell("head -n 1 d").text == "#bulla-dump 1\n")
        #expect(try scratch.shell("tail -n 1 d").text == "#end 4 6\n")
    }

    @Test func `holds only the trees that are asked for`() throws {
        let scratch = try makeStore()
        let run = try scratch.bulla("dump", "s", "pets", "--key-file", "key")
        #expect(run.lines.count == 7)
        #expect(
            try scratch.bulla("dump", "s", "pets", "zoo", "--key-file", "key").status
                == Status.notFound)
    }

    @Test func `never overwrites a file, and leaves no half of one`() throws {
        let scratch = try makeStore()
        try scratch.write("d", "precious")
        let there = try scratch.bulla("dump", "s", "-o", "d", "--key-file", "key")
        #expect(there.status == Status.cannotCreate)
        #expect(try scratch.read("d") == Array("precious".utf8))
        try scratch.shell(#"ulimit -f 8; "$BULLA" dump s -o half --key-file key"#)
        #expect(try scratch.shell("test -e half").status != 0)
    }

    @Test(arguments: [
        ("", 1), ("x\n", 1), ("#bulla-dump 2\n", 1), ("#bulla-dump 1\n", 2),
        ("#bulla-dump 1\nk\tv\n", 2), ("#bulla-dump 1\n#tree t\nk\tv\n", 4),
        ("#bulla-dump 1\n#tree t\nkv\n#end 1 1\n", 3),
        ("#bulla-dump 1\n#tree t\n\tv\n#end 1 1\n", 3),
        ("#bulla-dump 1\n#tree t\n\\q\tv\n#end 1 1\n", 3), ("#bulla-dump 1\n#tree t\nk\t\\x4\n", 3),
        ("#bulla-dump 1\n#tree t\nk\tv\n#end 1 2\n", 4),
        ("#bulla-dump 1\n#tree t\n#end 1 0\nk\tv\n", 4),
        ("#bulla-dump 1\n#what\n#end 0 0\n", 2), ("#bulla-dump 1\n#tree \n#end 1 0\n", 2),
    ])
    func `that is cut or malformed names file and line, and stores nothing`(
        text: String, line: Int
    ) throws {
        let scratch = try Scratch()
        try scratch.write("d", text)
        let run = try scratch.bulla("load", "s", "d", "--format", "dump", "--create")
        #expect(run.status == Status.data)
        #expect(run.errors.contains("d: line \(line): "), "\(run.errors)")
        #expect(try scratch.bulla("trees", "s").output.isEmpty)
    }

    @Test func `is not taken for anything else`() throws {
        let scratch = try makeStore()
        try scratch.bulla("dump", "s", "-o", "d", "--key-file", "key")
        let run = try scratch.bulla("load", "s", "t", "d", "--key-file", "key")
        #expect(run.status == Status.usage)
        #expect(run.errors.contains("--format dump"))
    }
}
