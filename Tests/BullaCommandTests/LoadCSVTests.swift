import Testing

@Suite struct `Loading CSV` {
    /// Loads a file, and returns the output of a scan.
    private func load(
        _ text: String, _ options: String = ""
    ) throws -> (load: CommandRun, scan: CommandRun) {
        let scratch = try Scratch()
        try scratch.write("in.csv", text)
        return (
            try scratch.shell("\"$BULLA\" load s t in.csv --create \(options)"),
            try scratch.bulla("scan", "s", "t", "--raw")
        )
    }

    @Test func `stores each row as a JSON object under its first column`() throws {
        let (load, scan) = try load("id,name\n2,Ann\n1,Bob\n")
        #expect(load.status == Status.success)
        #expect(
            scan.text == "1\t{\"id\":\"1\",\"name\":\"Bob\"}\n2\t{\"id\":\"2\",\"name\":\"Ann\"}\n")
    }

    @Test func `takes commas, quotes and line ends inside quotes`() throws {
        let (load, scan) = try load("id,a\r\n1,\"x,\"\"y\"\"\r\nz\"\r\n2,\"\"\r\n")
        #expect(load.status == Status.success, "\(load.errors)")
        #expect(
            scan.text
                == "1\t{\"id\":\"1\",\"a\":\"x,\\\"y\\\"\\r\\nz\"}\n2\t{\"id\":\"2\",\"a\":\"\"}\n")
    }

    @Test func `takes another column as the key, several of them, and one as the value`() throws {
        let text = "id,name,city\n1,Ann,Ulm\n"
        #expect(try load(text, "--key-field name --value-field city").scan.text == "Ann\tUlm\n")
        #expect(
            try load(text, "--key-field city --key-field id --value-field name").scan.text
                == "Ulm 1\tAnn\n")
    }

    @Test(arguments: [
        "\u{FEFF}k,v\n1,a\n", "k,v\n\n\r\n1,a\n\n", "k,v\n1,a", "\"k\",v\n\"1\",\"a\"\n",
        "k,v\r\n1,a\r\n",
    ])
    func `does not mind marks, empty lines and a missing last line end`(text: String) throws {
        #expect(try load(text, "--value-field v").scan.text == "1\ta\n")
    }

    @Test(arguments: [
        ("k,v\n1,a\n2\n", 3, "1 field"), ("k,v\n1,a\n2,b,c\n", 3, "3 fields"),
        ("k,v\n1,a\"b\n", 2, "closed"), ("k,v\n1,a\"b\"\n", 2, "quote"),
        ("k,v\n1,\"a\"b\n", 2, "quote"), ("k,v\n1,\"a\n", 2, "closed"),
        ("k,v\n1,\"x\ny\"z\n", 3, "quote"), ("k,k\n1,2\n", 1, "twice"), ("k,v\n,a\n", 2, ""),
        ("k,v\n1,\"\n\n\"\n2\n", 5, "1 field"),
    ])
    func `that is malformed names file and line`(text: String, line: Int, word: String) throws {
        let (load, _) = try load(text)
        #expect(load.status == Status.data)
        #expect(load.errors.contains("in.csv: line \(line): "), "\(load.errors)")
        #expect(load.errors.contains(word), "\(load.errors)")
    }

    @Test func `with a missing key field names the file`() throws {
        let (load, _) = try load("k,v\n1,a\n", "--key-field x")
        #expect(load.status == Status.data)
        #expect(load.errors.contains("in.csv: line 1"))
    }

    @Test func `that is not UTF-8 needs a value field`() throws {
        let scratch = try Scratch()
        try scratch.bulla("create", "s")
        try scratch.write("in.csv", Array("k,v\n1,".utf8) + [0xFF, 0x0A])
        #expect(try scratch.bulla("load", "s", "t", "in.csv").status == Status.data)
        #expect(
            try scratch.bulla("load", "s", "t", "in.csv", "--value-field", "v").status
                == Status.success)
        #expect(try scratch.bulla("get", "s", "t", "1").output == [0xFF])
    }

    @Test func `of nothing stores nothing, and makes the tree`() throws {
        let (load, scan) = try load("")
        #expect(load.status == Status.success)
        #expect(scan.status == Status.success && scan.output.isEmpty)
    }
}
