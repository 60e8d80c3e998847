import Testing

@Suite struct `Loading JSON lines` {
    private func load(
        _ bytes: [UInt8], _ options: String = "--key-field id"
    ) throws -> (load: CommandRun, scratch: Scratch) {
        let scratch = try Scratch()
        try scratch.write("in.jsonl", bytes)
        return (try scratch.shell("\"$BULLA\" load s t in.jsonl --create \(options)"), scratch)
    }

    @Test func `stores each line byte for byte under its key`() throws {
        let lines = [
            #"{"id":"a","x":[1,{"id":2},null,true,false,-0.5e+10]}"#,
            #"  {"y":"","id" : 12.50 }  "#,
            #"{"id":"\u00e9\ud83d\ude00\n","z":"\\\"\/\b\f\n\r\t\u0000"}"#, #"{"i\u0064":"b"}"#,
        ]
        let (load, scratch) = try load(Array((lines.joined(separator: "\n\n") + "\r\n").utf8))
        #expect(load.status == Status.success, "\(load.errors)")
        for (key, line) in zip(["a", "12.50", "\u{E9}\u{1F600}\n", "b"], lines) {
            #expect(try scratch.bulla("get", "s", "t", key).text == line)
        }
    }

    @Test func `takes a member as the value`() throws {
        let (_, scratch) = try load(
            Array(#"{"id":1,"v":"a\tb"}"#.utf8) + [0x0A] + Array(#"{"id":2,"v":[1, 2]}"#.utf8),
            "--key-field id --value-field v")
        #expect(try scratch.bulla("get", "s", "t", "1").text == "a\tb")
        #expect(try scratch.bulla("get", "s", "t", "2").text == "[1, 2]")
    }

    @Test(
        arguments: [
            "", "x", "[1]", "\"id\"", "{", "{}", #"{"id":}"#, #"{"id":1,}"#, #"{"id":1 "x":2}"#,
            #"{"id":1}}"#, #"{"id":1} {}"#, #"{"id":01}"#, #"{"id":1.}"#, #"{"id":+1}"#,
            #"{"id":1e}"#,
            #"{"id":"a}"#, #"{"id":"\x"}"#, #"{"id":"\u12"}"#, #"{"id":"\ud800"}"#, #"{'id':1}"#,
            #"{"id":null}"#, #"{"id":[1]}"#, #"{"id":1,"id":2}"#, #"{"other":1}"#,
            #"{"id":1,"x":nul}"#,
            #"{"id":1,"x":[1}"#, #"{"id":""}"#, #"{id:1}"#, "{\"id\":\"a\u{1}\"}",
            #"{"id":1,"x":[,]}"#,
        ].filter { !$0.isEmpty })
    func `that is malformed names file and line, and shows nothing of it`(line: String) throws {
        let (load, scratch) = try load(Array("{\"id\":\"secret\"}\n\(line)\n{\"id\":\"c\"}\n".utf8))
        #expect(load.status == Status.data)
        #expect(load.errors.contains("in.jsonl: line 2: "), "\(load.errors)")
        #expect(load.errors.contains("not stored: 1"), "\(load.errors)")
        #expect(!load.errors.contains("secret"))
        #expect(try scratch.bulla("trees", "s").output.isEmpty)
    }

    @Test func `that is not UTF-8 is malformed`() throws {
        let (load, _) = try load(Array(#"{"id":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8))
        #expect(load.status == Status.data)
    }

    @Test(arguments: [(400, Status.success), (600, Status.data), (1_000_000, Status.data)])
    func `nested deeply ends without a crash`(depth: Int, status: Int32) throws {
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let (load, _) = try load(Array("{\"id\":1,\"x\":\(nested)}".utf8))
        #expect(load.status == status)
        #expect(load.signal == nil)
    }

    @Test func `without a key field says that it needs one`() throws {
        let (load, _) = try load(Array(#"{"id":1}"#.utf8), "")
        #expect(load.status == Status.usage)
        #expect(load.errors.contains("--key-field"))
    }

    @Test func `longer than a record may be is refused with its line`() throws {
        let scratch = try Scratch()
        let run = try scratch.shell(
            #"(echo '{"id":1}'; head -c 80000000 /dev/zero | tr '\0' '[') > in.jsonl; "#
                + #""$BULLA" load s t in.jsonl --key-field id --batch 1 --create"#)
        #expect(run.status == Status.data)
        #expect(run.errors.contains("in.jsonl: line 2: "))
        #expect(run.errors.contains("67108864"))
        #expect(try scratch.bulla("get", "s", "t", "1").text == #"{"id":1}"#)
    }
}
