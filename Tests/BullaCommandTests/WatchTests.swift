import Glibc
import Testing

@Suite struct `A watch` {
    /// A store with six commits, each by another process.
    private func makeStore() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.makePlain("s")
        try scratch.bulla("put", "s", "pets", "a\tb", "\\ \u{7}")
        try scratch.bulla("put", "s", "#1", "k", "v")
        try scratch.bulla("delete", "s", "pets", "rex")
        try scratch.bulla("rename", "s", "pets", "animals")
        try scratch.bulla("drop", "s", "animals")
        return scratch
    }

    @Test func `writes one line a change, from the commit that is named on`() throws {
        let scratch = try makeStore()
        let run = try scratch.bulla("watch", "s", "--since", "1", "--limit", "8")
        #expect(run.status == Status.success, "\(run.errors)")
        let expected = [
            "2\tcreate\tpets", "2\tput\tpets\trex\ta good dog",
            "3\tput\tpets\ta\\tb\t\\\\ \\x07", "4\tcreate\t\\x231", "4\tput\t\\x231\tk\tv",
            "5\tdelete\tpets\trex", "6\trename\tpets\tanimals", "7\tdrop\tanimals",
        ]
        #expect(run.lines == expected)
        let rest = try scratch.bulla("watch", "s", "--since", "4", "--limit", "3")
        #expect(rest.lines.last == expected.last)
        // The tree is shown by its number, because it no longer has a name and its creation was not
        // reported.
        #expect(rest.lines.first == "5\tdelete\t#1\trex")
    }

    @Test func `writes JSON with its members in order, one object a line`() throws {
        let scratch = try makeStore()
        try scratch.bulla("put", "s", "u", "ff", "00", "--hex")
        let run = try scratch.bulla("watch", "s", "--since", "5", "--limit", "4", "--json")
        let expected = [
            #"{"commit":6,"newName":"animals","newNameEncoding":"utf-8","operation":"rename","#
                + #""tree":"pets","treeEncoding":"utf-8","treeNumber":1}"#,
            #"{"commit":7,"operation":"drop","tree":"animals","treeEncoding":"utf-8","#
                + #""treeNumber":1}"#,
            #"{"commit":8,"operation":"create","tree":"u","treeEncoding":"utf-8","treeNumber":3}"#,
            #"{"commit":8,"key":"/w==","keyEncoding":"base64","operation":"put","tree":"u","#
                + #""treeEncoding":"utf-8","treeNumber":3,"value":"\u0000","#
                + #""valueEncoding":"utf-8"}"#,
        ]
        #expect(run.lines == expected, "\(run.errors)")
    }

    @Test func `of one tree writes nothing of others, and of keys no values`() throws {
        let scratch = try Scratch()
        try scratch.makePlain("s")
        for (tree, key) in [("t", "1"), ("pets", "2"), ("t", "3"), ("pets", "4")] {
            try scratch.bulla("put", "s", tree, key, "value")
        }
        try scratch.bulla("rename", "s", "pets", "animals")
        let arguments = ["watch", "s", "--since", "1", "--limit", "5", "--tree", "animals"]
        #expect(
            try scratch.bulla(arguments + ["--keys-only"]).lines == [
                "2\tcreate\tpets", "2\tput\tpets\trex", "4\tput\tpets\t2",
                "6\tput\tpets\t4", "7\trename\tpets\tanimals",
            ])
        #expect(
            try scratch.bulla(arguments + ["--hex"]).lines[2]
                == "4\tput\tpets\t32\t76616c7565")
        let missing = try scratch.bulla("watch", "s", "--tree", "nowhere")
        #expect(missing.status == Status.notFound)
        #expect(!missing.errors.contains("nowhere"))
    }

    @Test func `writes a gap for what is too large for the log, and goes on`() throws {
        let scratch = try Scratch()
        try scratch.makePlain("s")
        try scratch.shell(#"head -c 2000000 /dev/zero | "$BULLA" put s pets large"#)
        try scratch.bulla("put", "s", "pets", "small", "1")
        let text = try scratch.bulla("watch", "s", "--since", "2", "--limit", "2")
        #expect(text.lines == ["3\tgap\t2", "4\tput\tpets\tsmall\t1"], "\(text.errors)")
        let json = try scratch.bulla("watch", "s", "--since", "2", "--limit", "1", "--json")
        #expect(json.text == #"{"after":2,"commit":3,"operation":"gap"}"# + "\n")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `goes on with what comes, until a signal that it dies of`(signal: Int32) throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted("s")
        let run = try TypedRun(scratch, ["watch", "s", "--key-file", "key", "--since", "2"])
        for number in 1...3 {
            try scratch.bulla("put", "s", "pets", "\(number)", "v", "--key-file", "key")
            #expect(try run.until("\r\n") == "\(number + 2)\tput\tpets\t\(number)\tv")
        }
        run.send(signal)
        try run.until("interrupted by signal \(signal)")
        #expect(try run.endingSignal() == signal)
    }

    @Test func `from a future commit is refused`() throws {
        let scratch = try Scratch()
        try scratch.makePlain("s")
        let run = try scratch.bulla("watch", "s", "--since", "3", "--json")
        #expect(run.status == Status.usage)
        #expect(run.errorMember("code") == "invalidArgument")
        #expect(try scratch.bulla("watch", "s", "--hex", "--json").status == Status.usage)
    }
}
