import Testing

@Suite struct `Compressed input` {
    static let tools = ["gzip", "xz", "lz4", "zstd"]
    static let suffixes = ["gzip": "gz", "xz": "xz", "lz4": "lz4", "zstd": "zst"]

    private func makeStore() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.bulla("create", "s")
        try scratch.shell("(echo k,v; for i in $(seq 5000); do echo $i,value$i; done) > in.csv")
        return scratch
    }

    private func has(_ tool: String) throws -> Bool {
        try Scratch().shell("command -v \(tool)").status == 0
    }

    @Test(arguments: tools)
    func `is read by its name and by its first bytes`(tool: String) throws {
        guard try has(tool), let suffix = Self.suffixes[tool] else { return }
        let scratch = try makeStore()
        try scratch.shell("\(tool) -c < in.csv > in.csv.\(suffix); cp in.csv.\(suffix) other")
        let named = try scratch.bulla("load", "s", "a", "in.csv.\(suffix)", "--json")
        #expect(named.member("records") == "5000", "\(named.errors)")
        let found = try scratch.bulla("load", "s", "b", "other", "--format", "csv", "--json")
        #expect(found.member("records") == "5000", "\(found.errors)")
        let standard = try scratch.shell(#""$BULLA" load s c - --format csv --json < other"#)
        #expect(standard.member("records") == "5000", "\(standard.errors)")
        #expect(try scratch.bulla("get", "s", "b", "4711").text == #"{"k":"4711","v":"value4711"}"#)
    }

    @Test(arguments: tools)
    func `that is cut is an error, and what it gave is not taken for all`(tool: String) throws {
        guard try has(tool), let suffix = Self.suffixes[tool] else { return }
        let scratch = try makeStore()
        try scratch.shell("\(tool) -c < in.csv | head -c 2000 > in.csv.\(suffix)")
        let run = try scratch.bulla("load", "s", "t", "in.csv.\(suffix)", "--batch", "0")
        #expect(run.status == Status.data)
        #expect(run.errors.contains("in.csv.\(suffix): \(tool) ended with status"), "\(run.errors)")
        #expect(try scratch.bulla("scan", "s", "t").status == Status.notFound)
    }

    @Test func `whose name lies is an error`() throws {
        let scratch = try makeStore()
        try scratch.shell("cp in.csv in.csv.gz")
        let run = try scratch.bulla("load", "s", "t", "in.csv.gz")
        #expect(run.status == Status.data)
        #expect(run.errors.contains("in.csv.gz"))
    }

    @Test func `whose tool is missing is an error that names the package`() throws {
        guard try has("xz") else { return }
        let scratch = try makeStore()
        let run = try scratch.shell(
            #"xz in.csv; PATH=/nonexistent; "$BULLA" load s t in.csv.xz"#)
        #expect(run.status == Status.unavailable)
        #expect(run.errors.contains("xz-utils"))
    }

    @Test func `that comes through a pipe says what to do`() throws {
        let run = try makeStore().shell(#"gzip -c in.csv | cat | "$BULLA" load s t -"#)
        #expect(run.status == Status.data)
        #expect(run.errors.contains("gzip -dc"))
    }
}
