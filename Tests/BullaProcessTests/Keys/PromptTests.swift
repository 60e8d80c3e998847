import Bulla
import BullaProcessSupport
import BullaTestSupport
import Glibc
import Testing

@Suite struct `A secret asked for at a terminal` {
    private let files: TestStore
    private let terminal: PseudoTerminal
    private let settings: [UInt32]

    init() throws {
        files = try TestStore(.plain)
        terminal = try PseudoTerminal()
        terminal.useUTF8()
        settings = terminal.settings
    }

    private func ask(_ source: String, _ values: String...) throws -> SecretWorker {
        try SecretWorker(files, ["source=\(source)", "terminal=\(terminal.path)"] + values)
    }

    /// Expects an answer, and that the terminal is back in its former mode while the process still
    /// lives.
    private func expect(
        _ answer: SecretWorker.Answer, of worker: SecretWorker,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try worker.answer() == answer, sourceLocation: sourceLocation)
        #expect(terminal.isEchoing, sourceLocation: sourceLocation)
        #expect(terminal.settings == settings, sourceLocation: sourceLocation)
    }

    @Test func `is not shown, and the terminal is as it was afterwards`() throws {
        #expect(terminal.isEchoing)
        let worker = try ask("prompt")
        try terminal.await("Password: ")
        #expect(!terminal.isEchoing)
        terminal.type("open sesame\n")
        try terminal.await("\r\n")
        try expect(.text("open sesame"), of: worker)
        #expect(terminal.shownText == "Password: \r\n")
        _ = try worker.process.stop()
    }

    @Test(arguments: [
        ("abX\u{7F}c\n", "abc"), ("wrong\u{15}right\r", "right"), ("a\u{E4}\u{7F}b\n", "ab"),
        ("\u{7F}\u{8}x\n", "x"), ("a\u{4}b\n", "ab"), (" two words \n", " two words "),
        ("\u{E4}\u{4E2D}\u{1F511}\n", "\u{E4}\u{4E2D}\u{1F511}"),
        // Other keys with a special meaning: stop the program, erase a word, quote a key.
        ("a\u{1A}b\u{16}c\n", "abc"), ("wrong word\u{17}right\n", "right"),
    ])
    func `can be corrected, and has the bytes that were typed`(typed: String, taken: String) throws
    {
        let worker = try ask("prompt")
        try terminal.await("Password: ")
        terminal.type(typed)
        try expect(.text(taken), of: worker)
        _ = try worker.process.stop()
    }

    @Test func `is not what was typed before the terminal went away`() throws {
        let worker = try ask("prompt", "interrupts=ignored")
        try terminal.await("Password: ")
        terminal.type("open")
        try terminal.awaitTaken()
        terminal.hangUp()
        #expect(try worker.answer() == .refused(.io))
        _ = try worker.process.stop()
    }

    @Test func `is taken when it is typed twice alike`() throws {
        let worker = try ask("confirmation")
        try terminal.await("Password: ")
        terminal.type("open sesame\n")
        try terminal.await("Once more: ")
        #expect(!terminal.isEchoing)
        terminal.type("open sesame\n")
        try expect(.text("open sesame"), of: worker)
        #expect(!terminal.shownText.contains("sesame"))
        _ = try worker.process.stop()
    }

    @Test(arguments: ["open Sesame\n", "open sesam\n", "open sesame \n"])
    func `is refused when it is typed twice unlike`(second: String) throws {
        let worker = try ask("confirmation")
        try terminal.await("Password: ")
        terminal.type("open sesame\n")
        try terminal.await("Once more: ")
        terminal.type(second)
        try expect(.refused(.keyPromptMismatch), of: worker)
        _ = try worker.process.stop()
    }

    @Test(arguments: ["\n", "\u{4}", "abc\u{15}\n"])
    func `is refused when it is empty`(typed: String) throws {
        let worker = try ask("confirmation")
        try terminal.await("Password: ")
        terminal.type(typed)
        try expect(.refused(.keySourceEmpty), of: worker)
        _ = try worker.process.stop()
    }

    @Test(arguments: [(4096, true), (4097, false), (9000, false)])
    func `has at most 4096 bytes`(count: Int, isTaken: Bool) throws {
        let worker = try ask("prompt")
        try terminal.await("Password: ")
        let text = String(repeating: "x", count: count)
        terminal.type(text + "\n")
        try expect(isTaken ? .text(text) : .refused(.invalidArgument), of: worker)
        _ = try worker.process.stop()
    }

    @Test func `is given up with the interrupt key, which ends the process`() throws {
        let worker = try ask("prompt")
        try terminal.await("Password: ")
        terminal.type("open\u{3}")
        let end = try worker.process.child.wait(patience: TestMode.patience)
        #expect(end == .killed(SIGINT))
    }

    @Test func `is given up with the interrupt key in a program that goes on`() throws {
        let worker = try ask("prompt", "interrupts=ignored")
        try terminal.await("Password: ")
        terminal.type("open\u{3}")
        try expect(.refused(.io), of: worker)
        _ = try worker.process.stop()
    }

    @Test func `waits for a signal's end until the terminal is as it was`() throws {
        let worker = try ask("prompt", "interrupts=ignored")
        try terminal.await("Password: ")
        worker.process.child.signal(SIGTERM)
        terminal.type("open sesame\n")
        try terminal.await("\r\n")
        let end = try worker.process.child.wait(patience: TestMode.patience)
        #expect(end == .killed(SIGTERM))
    }

    @Test func `is refused without a terminal`() throws {
        for source in ["prompt", "confirmation"] {
            let worker = try SecretWorker(files, ["source=\(source)", "terminal=none"])
            #expect(try worker.finalAnswer() == .refused(.keyPromptUnavailable))
        }
    }
}
