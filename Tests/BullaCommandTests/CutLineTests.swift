import Testing

@Suite struct `A last line without a newline` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
    }

    private var keys: [String] {
        get throws {
            try scratch.bulla("scan", "e.bulla", "pets", "--keys-only", "--key-file", "key").lines
        }
    }

    @Test(arguments: ["put pets b 2", "delete pets r", "# a comment", "put pets b"])
    func `has a batch refused, and nothing changed`(last: String) throws {
        try scratch.write("changes", "put pets a 1\n" + last)
        for line in [
            "\"$BULLA\" batch e.bulla changes --key-file key",
            "cat changes | \"$BULLA\" batch e.bulla --key-file key",
        ] {
            let run = try scratch.shell(line)
            #expect(run.status == Status.data)
            #expect(run.errors.contains("line 2: ") && run.errors.contains("newline"))
            #expect(try keys == ["rex"])
        }
        try scratch.write("changes", "put pets a 1\nput pets b 2\n")
        #expect(try scratch.bulla("batch", "e.bulla", "changes", "--key-file", "key").status == 0)
        #expect(try keys == ["a", "b", "rex"])
    }

    @Test(arguments: ["", "--keep-going"])
    func `is not run by a shell on a pipe`(option: String) throws {
        try scratch.write("lines", "put pets a 1\nput pets b 2")
        let run = try scratch.shell(
            "cat lines | \"$BULLA\" shell e.bulla --key-file key \(option)")
        #expect(run.status == Status.data)
        #expect(run.errors.hasPrefix("bulla: standard input: line 2: the line"), "\(run.errors)")
        #expect(try keys == ["a", "rex"])
        try scratch.write("lines", "begin\nput pets c 1\ncommit")
        let cut = try scratch.shell(
            "cat lines | \"$BULLA\" shell e.bulla --key-file key \(option)")
        #expect(cut.status == Status.data)
        #expect(cut.errors.hasPrefix("bulla: standard input: line 3: the line"), "\(cut.errors)")
        #expect(try keys == ["a", "rex"])
    }

    @Test func `is what bounds no memory: lines without bytes of their own count as well`() throws {
        // These lines reach 16 MiB, the limit for reading ahead, only if each counts as at least
        // 256 bytes.
        let run = try scratch.shell(
            """
            mkfifo -m 600 fifo
            "$BULLA" batch e.bulla fifo --key-file key > answer 2>&1 &
            batch=$!
            exec 3> fifo
            yes 'delete pets --prefix q' | head -n 70000 >&3
            for try in $(seq 600); do
                "$BULLA" put e.bulla pets loop "$try" --key-file key --timeout 0 2> busy || break
                sleep 0.1
            done
            grep -c 'is writing' busy
            exec 3>&-
            wait $batch
            cat answer
            """)
        #expect(run.lines.first == "1", "\(run.text)")
        #expect(run.text.contains("70000 changes"), "\(run.text)")
    }
}
