import Testing

@Suite struct `A scan` {
    private func makeStore() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.bulla("create", "s")
        try scratch.write("five.csv", "k,v\nb,2\na,1\nc,3\nba,4\nbb,5\n")
        try #require(
            try scratch.bulla("load", "s", "t", "five.csv", "--value-field", "v").status == 0)
        return scratch
    }

    @Test(arguments: [
        ("", "a b ba bb c"), ("--reverse", "c bb ba b a"), ("--prefix b", "b ba bb"),
        ("--prefix b --reverse", "bb ba b"), ("--from b", "b ba bb c"), ("--to bb", "a b ba"),
        ("--from b --to c", "b ba bb"), ("--from b --to c --reverse", "bb ba b"),
        ("--prefix b --from ba", "ba bb"), ("--prefix b --to bb", "b ba"), ("--limit 2", "a b"),
        ("--limit 2 --reverse", "c bb"), ("--limit 0", ""), ("--from x", ""), ("--to a", ""),
        ("--prefix x --reverse", ""), ("--from bbb --reverse", "c"), ("--from c --to a", ""),
    ])
    func `gives the keys inside its bounds, in its order`(options: String, keys: String) throws {
        let run = try makeStore().shell("\"$BULLA\" scan s t --keys-only \(options)")
        #expect(run.status == Status.success)
        #expect(run.lines.joined(separator: " ") == keys)
    }

    @Test func `with a prefix of the last byte goes to the end`() throws {
        let scratch = try makeStore()
        try scratch.bulla("put", "s", "t", "ff", "00", "--hex")
        try scratch.bulla("put", "s", "t", "ffff", "01", "--hex")
        #expect(
            try scratch.bulla("scan", "s", "t", "--prefix", "ff", "--hex").lines
                == ["ff\t00", "ffff\t01"])
        #expect(
            try scratch.bulla("scan", "s", "t", "--prefix", "ff", "--hex", "--reverse").lines
                == ["ffff\t01", "ff\t00"])
    }

    @Test func `writes one line an entry, whatever the bytes`() throws {
        let scratch = try makeStore()
        try scratch.bulla(
            "put", "s", "u", "a\tb", input: Array("\\\r\n\u{1B}\u{E9}\u{85}".utf8) + [0xFF])
        let text = "a\\tb\t\\\\\\r\\n\\x1b\u{E9}\\xc2\\x85\\xff\n"
        #expect(try scratch.bulla("scan", "s", "u").text == text)
        let json = try scratch.bulla("scan", "s", "u", "--json")
        #expect(json.member("key") == "a\tb")
        #expect(json.member("valueEncoding") == "base64")
        #expect(
            try scratch.bulla("scan", "s", "u", "--raw").output
                == Array("a\tb\t\\\r\n\u{1B}\u{E9}\u{85}".utf8) + [0xFF, 0x0A])
    }

    @Test func `writes JSON with its members in order, one object a line`() throws {
        let run = try makeStore().bulla("scan", "s", "t", "--json", "--limit", "1")
        let line = #"{"key":"a","keyEncoding":"utf-8","value":"1","valueEncoding":"utf-8"}"#
        #expect(run.text == line + "\n")
    }

    @Test func `whose reader goes away ends silently`() throws {
        let scratch = try makeStore()
        try scratch.shell("(echo k; seq 20000) > many.csv")
        try scratch.bulla("load", "s", "many", "many.csv")
        let run = try scratch.shell(
            #"{ "$BULLA" scan s many; echo "$?" > status; } | head -n 1"#)
        #expect(run.lines.count == 1)
        #expect(run.errors.isEmpty)
        #expect(try scratch.read("status") == Array("141\n".utf8))
    }
}
