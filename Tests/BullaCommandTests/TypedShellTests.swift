import Foundation
import Glibc
import Testing

@Suite struct `A shell at a terminal` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
    }

    private func start(_ more: String..., columns: UInt16 = 80) throws -> TypedRun {
        let arguments = ["shell", "e.bulla", "--key-file", "key"] + more
        let run = try TypedRun(scratch, arguments, columns: columns)
        try run.until("bulla> ")
        return run
    }

    private func value(_ key: String, in tree: String = "pets") throws -> String {
        try scratch.bulla("get", "e.bulla", tree, key, "--key-file", "key").text
    }

    @Test func `prompts, answers, tells of a line that fails, and goes on`() throws {
        let run = try start()
        #expect(try run.line("get pets rex").contains("a good dog\r\n"))
        #expect(try run.line("get pets nobody").contains("no such key"))
        #expect(try run.line("gett pets rex").contains("did you mean get?"))
        #expect(try run.line("count pets").contains("1\r\n"))
        #expect(try run.line("get pest rex").contains("did you mean pets?"))
        try run.type("quit\r")
        #expect(try run.end() == Status.success)
    }

    @Test func `says in its prompt which tree is used, and of a transaction`() throws {
        let run = try start()
        _ = try run.line("use pets", prompt: "bulla:pets> ")
        _ = try run.line("begin", prompt: "bulla:pets*> ")
        _ = try run.line("put tom 'a cat'", prompt: "bulla:pets*> ")
        #expect(try value("tom").isEmpty)
        _ = try run.line("commit", prompt: "bulla:pets> ")
        #expect(try value("tom") == "a cat")
        try run.type("\u{4}")
        #expect(try run.end() == Status.success)
    }

    @Test func `forgets a transaction that was not committed, and says so`() throws {
        let run = try start()
        _ = try run.line("begin", prompt: "bulla*> ")
        _ = try run.line("put pets tom cat", prompt: "bulla*> ")
        try run.type("\u{4}")
        try run.until("nothing of it was kept")
        #expect(try run.end() == Status.success)
        #expect(try value("tom").isEmpty)
    }

    @Test func `lets a line be changed before it is taken`() throws {
        let run = try start()
        // Home, Ctrl-Right past "put", a word, End, Backspace. In the next line: delete a word,
        // then the blank before it.
        _ = try run.line("put tom catX\u{1B}[H\u{1B}[1;5C pets\u{1B}[F\u{7F}")
        #expect(try value("tom") == "cat")
        _ = try run.line("put pets x y wrong\u{17}\u{8}")
        #expect(try value("x") == "y")
        // Left twice, Delete. In the next line: kill to the start; then, after typing, Left twice
        // and kill to the end.
        _ = try run.line("put pets z abc\u{1B}[D\u{1B}[D\u{1B}[3~")
        #expect(try value("z") == "ac")
        _ = try run.line("nonsense\u{15}put pets q rest\u{1B}[D\u{1B}[D\u{B}")
        #expect(try value("q") == "re")
    }

    @Test func `takes letters of more than one byte, and moves over them as one`() throws {
        let run = try start()
        _ = try run.line("put pets k \u{E4}\u{1F600}o\u{308}x\u{7F}\u{1B}[D\u{1B}[D\u{7F}")
        #expect(try value("k") == "\u{1F600}o\u{308}")
    }

    @Test func `brings former lines back with the arrow keys`() throws {
        let run = try start()
        _ = try run.line("put pets a 1")
        _ = try run.line("put pets b 2")
        _ = try run.line("\u{1B}[A\u{1B}[A\u{7F}3")
        #expect(try value("a") == "3")
        // After Up has shown the newest line, Down brings back the line that was being typed.
        _ = try run.line("put pets c 4\u{1B}[A\u{1B}[B")
        #expect(try value("c") == "4")
    }

    @Test func `completes verbs, options and trees with Tab`() throws {
        let run = try start()
        _ = try run.line("create 'two words'")
        _ = try run.line("pu\tpe\tn 1")
        #expect(try value("n") == "1")
        _ = try run.line("pu\ttwo\tk v")
        #expect(try value("k", in: "two words") == "v")
        // Several verbs begin with "c", so they are shown, and the line stays as it is.
        try run.type("c\t")
        try run.until("commit  count  create")
        try run.until("bulla> c")
        try run.type("\u{3}")
        try run.until("^C")
        try run.until("bulla> ")
        #expect(try run.line("scan pets --pre\tn").contains("n\t1"))
    }

    @Test func `gives up a line with Ctrl-C, and keeps what is pasted as it is`() throws {
        let run = try start()
        try run.type("put pets rex gone\u{3}")
        try run.until("^C")
        try run.until("bulla> ")
        #expect(try value("rex") == "a good dog")
        // A pasted tab separates words, and two pasted lines are run as two.
        _ = try run.line("\u{1B}[200~put\tpets\tp\t1\nput pets q 2\u{1B}[201~")
        _ = try run.line("count pets")
        #expect(try value("p") == "1")
        #expect(try value("q") == "2")
    }

    @Test func `works in a terminal that is narrower than the line`() throws {
        let run = try start(columns: 20)
        let text = String(repeating: "0123456789", count: 20)
        _ = try run.line("put pets long \(text)X\u{7F}\u{1B}[H\u{1B}[F")
        #expect(try value("long") == text)
    }

    @Test func `writes no file of its lines unless asked, and then one of mode 0600`() throws {
        let quiet = try start()
        _ = try quiet.line("get pets rex")
        try quiet.type("quit\r")
        #expect(try quiet.end() == Status.success)
        let names = try scratch.shell("ls | grep -vE '[0-9A-F-]{36}'").text
        #expect(names == "e.bulla\nkey\n")

        let first = try start("--history", "lines")
        _ = try first.line("put pets h 1")
        try first.type("quit\r")
        #expect(try first.end() == Status.success)
        #expect(try scratch.shell("stat -c %a lines").text == "600\n")
        let second = try start("--history", "lines")
        _ = try second.line("\u{1B}[A\u{1B}[A\u{7F}2")
        #expect(try value("h") == "2")
        try second.type("quit\r")
        #expect(try second.end() == Status.success)

        try scratch.shell("chmod 644 lines")
        let refused = try TypedRun(
            scratch, ["shell", "e.bulla", "--key-file", "key", "--history", "lines"])
        try refused.until("chmod 600 lines")
        #expect(try refused.end() == Status.noPermission)
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func `leaves the terminal as it was when a signal ends it`(signal: Int32) throws {
        let run = try start()
        run.send(signal)
        try run.until("\u{1B}[?2004l")
        try run.untilCooked()
        #expect(try run.endingSignal() == signal)
    }

    @Test func `leaves the terminal as it was`() throws {
        let run = try TypedRun(scratch, ["shell", "e.bulla", "--key-file", "key"])
        try run.until("\u{1B}[?2004h")
        try run.until("bulla> ")
        try run.type("\u{4}")
        try run.until("\u{1B}[?2004l")
        #expect(try run.end() == Status.success)
    }
}
