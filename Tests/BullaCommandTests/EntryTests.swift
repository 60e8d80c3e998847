import Testing

@Suite struct `A value` {
    /// Every possible byte and a few more, so that no text form can contain the value unchanged.
    static let allBytes = (0...255).map(UInt8.init) + [0, 0xC3, 0xA9, 0xC3, 0x28]

    @Test func `comes back byte for byte, from an argument, a file and standard input`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.write("all", Self.allBytes)
        let key = ["--key-file", "key"]
        #expect(try scratch.bulla("put", "e.bulla", "t", "a", "", key[0], key[1]).status == 0)
        #expect(
            try scratch.bulla(
                "put", "e.bulla", "t", "b", "--value-file", "all", key[0], key[1]
            ).status == 0)
        #expect(
            try scratch.bulla(
                "put", "e.bulla", "t", "c", key[0], key[1], input: Self.allBytes
            ).status == 0)
        #expect(try scratch.bulla("get", "e.bulla", "t", "a", key[0], key[1]).output.isEmpty)
        #expect(
            try scratch.bulla("get", "e.bulla", "t", "b", key[0], key[1]).output == Self.allBytes)
        #expect(
            try scratch.bulla("get", "e.bulla", "t", "c", key[0], key[1]).output == Self.allBytes)
    }

    @Test func `larger than what is read at once streams in and out`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        try scratch.shell("head -c 20000003 /dev/urandom > large")
        #expect(try scratch.shell(#"cat large | "$BULLA" put p.bulla t k"#).status == 0)
        #expect(try scratch.shell(#""$BULLA" get p.bulla t k | cmp - large"#).status == 0)
        try scratch.shell(#"head -c 2000003 large | "$BULLA" put p.bulla u k"#)
        let scan = try scratch.shell(#""$BULLA" scan p.bulla u --hex | wc -c"#)
        #expect(scan.text == "\(2 * 2_000_003 + 4)\n")
    }

    @Test func `that replaces another is the one that comes back`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        try scratch.bulla("put", "p.bulla", "pets", "rex", "a bad dog")
        #expect(try scratch.bulla("get", "p.bulla", "pets", "rex").text == "a bad dog")
    }

    @Test func `and its key are bytes, with --hex`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        #expect(try scratch.bulla("put", "p.bulla", "b", "00ff", "DeadBeef", "--hex").status == 0)
        #expect(try scratch.bulla("get", "p.bulla", "b", "00ff", "--hex").text == "deadbeef\n")
        #expect(try scratch.bulla("scan", "p.bulla", "b", "--hex").text == "00ff\tdeadbeef\n")
        #expect(try scratch.bulla("get", "p.bulla", "b", "0f0", "--hex").status == Status.usage)
    }

    @Test func `in JSON is text where it is UTF-8 and base64 where it is not`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        try scratch.bulla("put", "p.bulla", "b", "bin", input: [0xFF, 0x00, 0x10, 0x80])
        let text = try scratch.bulla("get", "p.bulla", "pets", "rex", "--json")
        #expect(text.member("value") == "a good dog")
        #expect(text.member("valueEncoding") == "utf-8")
        let binary = try scratch.bulla("get", "p.bulla", "b", "bin", "--json")
        #expect(binary.member("value") == "/wAQgA==")
        #expect(binary.member("valueEncoding") == "base64")
    }

    @Test func `that is not there ends with status 1, and so does a tree`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        let digest = try scratch.digest("p.bulla")
        #expect(try scratch.bulla("get", "p.bulla", "pets", "tom").status == Status.notFound)
        #expect(try scratch.bulla("get", "p.bulla", "zoo", "tom").status == Status.notFound)
        #expect(try scratch.bulla("scan", "p.bulla", "zoo").status == Status.notFound)
        #expect(try scratch.digest("p.bulla") == digest)
        #expect(try scratch.bulla("delete", "p.bulla", "zoo", "tom").status == Status.notFound)
        #expect(try scratch.bulla("delete", "p.bulla", "pets", "tom").status == Status.notFound)
    }

    @Test func `that was deleted is gone`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        #expect(try scratch.bulla("delete", "p.bulla", "pets", "rex").status == Status.success)
        #expect(try scratch.bulla("get", "p.bulla", "pets", "rex").status == Status.notFound)
    }

    @Test func `cannot steer a terminal unless raw bytes are asked for`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        let hostile = Array("\u{1B}]0;title\u{7}\u{202E}x\n".utf8)
        try scratch.bulla("put", "p.bulla", "b", "k", input: hostile)
        #expect(try scratch.bulla("get", "p.bulla", "b", "k").output == hostile)
        let shown = try scratch.shell(#"script -qec '"$BULLA" get p.bulla b k' /dev/null"#)
        #expect(shown.text == "\\x1b]0;title\\x07\\xe2\\x80\\xaex\r\n")
        let raw = try scratch.shell(#"script -qec '"$BULLA" get p.bulla b k --raw' /dev/null"#)
        #expect(raw.output.contains(0x1B))
    }

    @Test(arguments: ["", String(repeating: "k", count: 70_000)])
    func `under a key without bytes or with too many is refused`(key: String) throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        let run = try scratch.bulla("put", "p.bulla", "pets", key, "v")
        #expect([Status.usage, Status.data].contains(run.status))
        #expect(try scratch.bulla("scan", "p.bulla", "pets").lines.count == 1)
    }
}
