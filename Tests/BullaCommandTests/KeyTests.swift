import Testing

@Suite struct `A key` {
    @Test func `is made as 128 hexadecimal digits in a file that only its owner may read`() throws {
        let scratch = try Scratch()
        #expect(try scratch.bulla("keygen", "key").status == Status.success)
        #expect(try scratch.read("key").count == 129)
        #expect(try scratch.shell("stat -c %a key").text == "600\n")
        #expect(try scratch.shell("grep -Ecx '[0-9a-f]{128}' key").text == "1\n")
    }

    @Test func `is made as 64 raw bytes too, and opens what its hexadecimal form made`() throws {
        let scratch = try Scratch()
        #expect(try scratch.bulla("keygen", "raw", "--raw").status == Status.success)
        #expect(try scratch.read("raw").count == 64)
        try scratch.shell("umask 077; od -An -v -tx1 raw | tr -d ' \\n' > hex; echo >> hex")
        #expect(try scratch.bulla("create", "s", "--key-file", "raw").status == Status.success)
        #expect(try scratch.bulla("info", "s", "--key-file", "hex").status == Status.success)
    }

    @Test func `is made in a folder that is flushed, wherever that is`() throws {
        let scratch = try Scratch()
        try scratch.shell("mkdir folder")
        for path in ["key", "./key2", "folder/key", "folder//key2", "\"$PWD\"/key3"] {
            let run = try scratch.shell("\"$BULLA\" keygen \(path)")
            #expect(run.status == Status.success, "\(run.errors)")
        }
        let counts = try scratch.shell("ls | grep -c '^key'; ls folder | grep -c key").lines
        #expect(counts == ["3", "2"])
        #expect(try scratch.bulla("keygen", "nowhere/key").status == Status.cannotCreate)
    }

    @Test func `is made with the advice to keep a copy of it`() throws {
        let scratch = try Scratch()
        let run = try scratch.bulla("keygen", "key")
        #expect(run.errors.contains("if you lose key, you lose the data"))
        #expect(run.output.isEmpty)
        #expect(try scratch.bulla("keygen", "quiet", "--quiet").errors.isEmpty)
    }

    @Test func `that is missing or one too many is told with the option that says it`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.makePlain()
        #expect(try scratch.bulla("info", "e.bulla").errors.contains("give --key-file"))
        let run = try scratch.bulla("info", "p.bulla", "--key-file", "key")
        #expect(run.errors.contains("leave out --key-file"))
        try scratch.shell("chmod 644 key")
        let open = try scratch.bulla("info", "e.bulla", "--key-file", "key")
        #expect(open.errors.contains("chmod 600 key"))
        let nothing = try scratch.bulla("info", "nowhere")
        #expect(nothing.errors.contains("nowhere") && nothing.errors.contains("bulla create"))
    }

    @Test func `is another one each time`() throws {
        let scratch = try Scratch()
        #expect(try scratch.bulla("keygen", "-").output != scratch.bulla("keygen", "-").output)
    }

    @Test func `never overwrites a file`() throws {
        let scratch = try Scratch()
        try scratch.write("key", "precious")
        let run = try scratch.bulla("keygen", "key")
        #expect(run.status == Status.cannotCreate)
        #expect(try scratch.read("key") == Array("precious".utf8))
    }

    @Test func `is not shown on a terminal`() throws {
        let scratch = try Scratch()
        let run = try scratch.shell(#"script -qec '"$BULLA" keygen -' /dev/null"#)
        #expect(run.status == Status.usage)
        #expect(!run.text.contains { $0.isHexDigit && $0.isNumber })
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660])
    func `in a file that others may read is refused`(mode: Int) throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.shell("chmod \(String(mode, radix: 8)) key")
        let digest = try scratch.digest("e.bulla")
        let run = try scratch.bulla("info", "e.bulla", "--key-file", "key")
        #expect(run.status == Status.noPermission)
        #expect(run.errors.contains("key"))
        #expect(try scratch.digest("e.bulla") == digest)
    }

    @Test(arguments: [0, 32, 63, 65])
    func `of another length is refused, with both lengths, and changes nothing`(
        count: Int
    ) throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.write("odd", [UInt8](repeating: 0xA5, count: count), mode: 0o600)
        let digest = try scratch.digest("e.bulla")
        let run = try scratch.bulla("info", "e.bulla", "--key-file", "odd", "--json")
        #expect(run.status == Status.noPermission)
        #expect(run.errorMember("code") == "invalidKeyLength")
        #expect(run.errors.contains("\(count)") && run.errors.contains("64"))
        #expect(try scratch.digest("e.bulla") == digest)
        #expect(
            try scratch.bulla("create", "new", "--key-file", "odd").status == Status.noPermission)
        #expect(try scratch.shell("test -e new").status != 0)
    }

    @Test func `comes through a descriptor as well`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let run = try scratch.shell(#""$BULLA" get e.bulla pets rex --key-fd 3 3< key"#)
        #expect(run.text == "a good dog")
        #expect(try scratch.shell(#""$BULLA" info e.bulla --key-fd 0 < key"#).status == 0)
    }

    @Test func `whose file is missing is an error with status 66`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let run = try scratch.bulla("info", "e.bulla", "--key-file", "nowhere")
        #expect(run.status == Status.noInput)
        #expect(run.errors.contains("nowhere"))
    }

    @Test func `is in no message`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.bulla("keygen", "other")
        let digits = String(decoding: try scratch.read("other").prefix(16), as: UTF8.self)
        let run = try scratch.bulla("info", "e.bulla", "--key-file", "other")
        #expect(run.status == Status.noPermission)
        #expect(!run.errors.contains(digits))
    }
}
