import Glibc
import Testing

@Suite struct `A transaction that is lost` {
    private let scratch: Scratch
    private let holder: TypedRun

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
        holder = try TypedRun(scratch, ["shell", "e.bulla", "--key-file", "key"])
        try holder.until("bulla> ")
        _ = try holder.line("begin", prompt: "bulla*> ")
    }

    private var keys: [String] {
        get throws {
            try scratch.bulla("scan", "e.bulla", "pets", "--keys-only", "--key-file", "key").lines
        }
    }

    private func release() throws {
        _ = try holder.line("rollback")
        try holder.type("quit\r")
        #expect(try holder.end() == Status.success)
    }

    @Test(arguments: ["", "--keep-going"])
    func `ends lines from a pipe, and none of them is run`(option: String) throws {
        // Another process holds the lock until the run has ended. If a later line were run instead
        // of refused, it could not get the lock, and with `--keep-going`, there would be a second
        // error.
        try scratch.write("lines", "get pets rex\nbegin\nput pets tom cat\nrollback\n")
        let run = try scratch.shell(
            "\"$BULLA\" shell e.bulla --key-file key --timeout 0 \(option) < lines")
        #expect(run.status == 75, "\(run.errors)")
        #expect(run.errors.hasPrefix("bulla: standard input: line 2: "), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        try release()
        #expect(try keys == ["rex"])
    }

    @Test func `by a begin that is wrong ends lines from a pipe as well`() throws {
        try release()
        try scratch.write("lines", "begin now\nput pets tom cat\nrollback\n")
        let run = try scratch.shell(
            "\"$BULLA\" shell e.bulla --key-file key --keep-going < lines")
        #expect(run.status == Status.usage)
        #expect(try keys == ["rex"])
    }

    @Test func `by the end of the lines is an error, whatever goes on`() throws {
        try release()
        try scratch.write("lines", "begin\nput pets tom cat\n")
        let run = try scratch.shell(
            "\"$BULLA\" shell e.bulla --key-file key --keep-going < lines")
        #expect(run.status == Status.data)
        #expect(try keys == ["rex"])
    }

    @Test(arguments: ["commit", "rollback"])
    func `has typed lines refused up to the one that ends it`(end: String) throws {
        let run = try TypedRun(
            scratch, ["shell", "e.bulla", "--key-file", "key", "--timeout", "0"])
        try run.until("bulla> ")
        #expect(try run.line("begin", prompt: "bulla!> ").contains("the transaction is lost"))
        try release()
        #expect(try run.line("put pets tom cat", prompt: "bulla!> ").contains("was not run"))
        #expect(try run.line("begin", prompt: "bulla!> ").contains("was not run"))
        let ended = try run.line(end)
        #expect(ended.contains("nothing of it was kept") == (end == "commit"))
        #expect(try keys == ["rex"])
        _ = try run.line("put pets tom cat")
        #expect(try keys == ["rex", "tom"])
        try run.type("quit\r")
        #expect(try run.end() == Status.success)
    }

    @Test func `is not one that was interrupted during a statement`() throws {
        let run = try TypedRun(scratch, ["shell", "e.bulla", "--key-file", "key"])
        try run.until("bulla> ")
        try run.type("begin\r")
        try run.untilCooked()
        // The statement waits for the process that holds the lock. The terminal does not control
        // the shell, so Ctrl-C there sends no signal by itself.
        run.send(SIGINT)
        try release()
        try run.until("bulla*> ")
        _ = try run.line("put pets tom cat", prompt: "bulla*> ")
        _ = try run.line("commit")
        #expect(try keys == ["rex", "tom"])
        try run.type("quit\r")
        #expect(try run.end() == Status.success)
    }
}
