import Testing

@Suite struct `Loading a Packages file` {
    static let paragraphs = [
        "Package: alpha\nVersion: 1.0-1\nArchitecture: amd64\nDescription: one\n more\n .\n end\n",
        "Package: beta\nVersion: 2:3~rc1\nArchitecture: all\nTag: a::b,\n c::d\n",
        "package:gamma \nVERSION:\t7\nArchitecture: amd64\nX:\n",
    ]
    static let keys = ["alpha 1.0-1 amd64", "beta 2:3~rc1 all", "gamma 7 amd64"]

    private func makeStore(_ text: String) throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("test_Packages", text)
        return scratch
    }

    @Test(arguments: ["\n", "\n\n\n"])
    func `stores each paragraph byte for byte`(separator: String) throws {
        let scratch = try makeStore(separator + Self.paragraphs.joined(separator: separator))
        let run = try scratch.bulla("load", "s", "t", "--create", "test_Packages", "--json")
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.member("records") == "3")
        for (key, paragraph) in zip(Self.keys, Self.paragraphs) {
            #expect(try scratch.bulla("get", "s", "t", key).text == paragraph)
        }
    }

    @Test func `gives the file back from its values`() throws {
        let scratch = try makeStore(Self.paragraphs.joined(separator: "\n"))
        try scratch.bulla("load", "s", "t", "--create", "test_Packages", "--key-field", "Package")
        let run = try scratch.shell(
            #"for key in alpha beta gamma; do "$BULLA" get s t $key; echo; done | head -n -1"#)
        #expect(run.text == Self.paragraphs.joined(separator: "\n"))
    }

    @Test func `takes a field as the value, with its continued lines`() throws {
        let scratch = try makeStore(Self.paragraphs[0])
        try scratch.bulla(
            "load", "s", "t", "--create", "test_Packages", "--key-field", "Package",
            "--value-field",
            "Description")
        #expect(try scratch.bulla("get", "s", "t", "alpha").text == "one\n more\n .\n end")
    }

    @Test(arguments: [
        (" continued\nPackage: a\n", 1, "continuation"), ("Package: a\nnonsense\n", 2, "colon"),
        ("Package: a\nVersion: 1\n", 1, "Architecture"),
        ("A: b\n\nPackage: a\nPackage: b\n", 1, "Package"),
        ("Package: a\nPackage: b\n", 2, "twice"),
    ])
    func `that is malformed names file and line`(text: String, line: Int, word: String) throws {
        let run = try makeStore(text).bulla("load", "s", "t", "--create", "test_Packages")
        #expect(run.status == Status.data)
        #expect(run.errors.contains("test_Packages: line \(line): "), "\(run.errors)")
        #expect(run.errors.contains(word), "\(run.errors)")
    }

    @Test func `takes several files into one tree`() throws {
        let scratch = try makeStore(Self.paragraphs[0])
        try scratch.write("more_Packages", Self.paragraphs[1] + "\n" + Self.paragraphs[2])
        let run = try scratch.bulla(
            "load", "s", "t", "--create", "test_Packages", "more_Packages", "--json")
        #expect(run.member("records") == "3")
        #expect(run.member("commits") == "1")
        #expect(try scratch.bulla("trees", "s").text == "t\t3\n")
    }
}
