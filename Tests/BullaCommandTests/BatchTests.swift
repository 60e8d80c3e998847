import Testing

@Suite struct `A batch` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
    }

    private func batch(_ lines: String, _ more: String...) throws -> CommandRun {
        try scratch.write("changes", lines.hasSuffix("\n") ? lines : lines + "\n")
        return try scratch.bulla(["batch", "e.bulla", "changes", "--key-file", "key"] + more)
    }

    private func scan(_ tree: String) throws -> String {
        try scratch.bulla("scan", "e.bulla", tree, "--key-file", "key").text
    }

    private var commit: String? {
        get throws {
            try scratch.bulla("info", "e.bulla", "--json", "--key-file", "key").member("commit")
        }
    }

    @Test func `makes every change of a file as one commit`() throws {
        let before = try #require(try commit)
        let run = try batch(
            """
            # pets
            put pets tom "a cat"
            use pets
            put hex:00ff base64:AP8=
            delete rex
            delete nobody

            create empty
            put old k v
            rename old new
            put gone k v
            drop gone
            """)
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.text == "9 changes, 1 entry deleted, 1 key not there\n")
        #expect(try scan("pets") == "\\x00\\xff\t\\x00\\xff\ntom\ta cat\n")
        let trees = try scratch.bulla("trees", "e.bulla", "--key-file", "key")
        #expect(trees.text == "empty\t0\nnew\t1\npets\t2\n")
        #expect(UInt64(try #require(try commit)) == UInt64(before).map { $0 + 1 })
    }

    @Test(arguments: [
        ("put pets a b\nputt pets c d\n", Status.data, "line 2: "),
        ("put pets a b\nscan pets\n", Status.data, "line 2: "),
        ("put pets a b\nput pets \"c\n", Status.data, "line 2: "),
        ("put pets a b\ndrop nothing\n", Status.notFound, "line 2: "),
        ("put pets a b\ndelete nothing k\n", Status.notFound, "line 2: "),
        ("create x\nput pets a b\n\nrename x pets\n", Status.cannotCreate, "line 4: "),
        ("put pets a b\nput pets \"\" d\n", Status.data, "line 2: "),
    ])
    func `with a line that is wrong names it, and changes nothing`(
        lines: String, status: Int32, place: String
    ) throws {
        let before = try commit
        let run = try batch(lines)
        #expect(run.status == status)
        #expect(run.errors.hasPrefix("bulla: changes: \(place)"), "\(run.errors)")
        #expect(try commit == before)
        #expect(try scan("pets") == "rex\ta good dog\n")
    }

    @Test func `comes through a pipe, and takes what scan writes in digits`() throws {
        try scratch.bulla("put", "e.bulla", "pets", "00ff", "0a", "--hex", "--key-file", "key")
        let run = try scratch.shell(
            """
            "$BULLA" scan e.bulla pets --hex --key-file key |
                awk '{ print "put copy hex:" $1 " hex:" $2 }' |
                "$BULLA" batch e.bulla --key-file key --json
            """)
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.text == "{\"changes\":2,\"deleted\":0,\"missing\":0}\n")
        #expect(try scan("copy") == scan("pets"))
    }

    @Test func `of more than is read ahead is one commit as well`() throws {
        let before = try #require(try commit)
        let value = "for i in $(seq 3000); do echo \"put big $i $v$v$v$v$v$v\"; done"
        let run = try scratch.shell(
            """
            v=$(head -c 1000 /dev/zero | tr '\\0' x)
            (\(value)) | "$BULLA" batch e.bulla --key-file key
            """)
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.text == "3000 changes, 0 entries deleted\n")
        #expect(UInt64(try #require(try commit)) == UInt64(before).map { $0 + 1 })
    }
}
