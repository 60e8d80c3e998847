import Testing

@Suite struct `A message about a wrong command line` {
    @Test(arguments: [
        ["put", "s", "pets", "rex", "a", "good", "dog"],
        ["put", "s", "pets", "rex", "cat", "it's a dog"],
        ["put", "s", "pets", "rex", "cat", "dog's", "dog 'and' cat"],
        ["put", "s", "pets", "--dog"], ["put", "s", "pets", "---dog"],
        ["put", "s", "pets", "--timeout", "dog"], ["put", "s", "pets", "--timeout=dog's"],
        ["put", "s", "pets", "--raw-dog=x"], ["scan", "s", "t", "--hex=dog"], ["dog"],
        ["s.bulla", "put", "dog"],
    ])
    func `repeats nothing of it`(arguments: [String]) throws {
        let scratch = try Scratch()
        for run in [
            try scratch.bulla(arguments), try scratch.bulla(arguments + ["--json"]),
        ] {
            #expect(run.status == Status.usage)
            #expect(!run.errors.contains("dog"), "\(run.errors)")
        }
    }

    @Test func `still says what the command calls the thing that is wrong`() throws {
        let scratch = try Scratch()
        let wrong = try scratch.bulla("scan", "s", "t", "--limit", "cat")
        #expect(wrong.errors.contains("'--limit <"), "\(wrong.errors)")
        #expect(wrong.errors.contains("(not shown)") && !wrong.errors.contains("'cat'"))
        #expect(try scratch.bulla("get").errors.contains("'<store>'"))
    }

    @Test func `repeats it where only somebody at a terminal sees it`() throws {
        let run = try TypedRun(try Scratch(), ["put", "s", "pets", "rex", "a", "dog"])
        try run.until("'dog'")
        #expect(try run.end() == Status.usage)
    }
}
