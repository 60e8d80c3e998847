import Testing

@Suite struct `A command that waits` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.shell("mkfifo -m 600 fifo; mkdir folder")
    }

    @Test(arguments: [
        "info e.bulla --key-file fifo", "check e.bulla --key-file fifo",
        "restore new backup --key-file fifo",
        "key change e.bulla --key-file key --new-key-file fifo",
        "compact e.bulla new --key-file key --target-key-file fifo",
        "load e.bulla t fifo --format csv --key-file key",
        "put e.bulla t k --value-file fifo --key-file key", "batch e.bulla fifo --key-file key",
    ])
    func `for a pipe that nobody writes to stops at the time limit`(arguments: String) throws {
        let run = try scratch.shell("\"$BULLA\" \(arguments) --timeout 0.05")
        #expect(run.signal == nil)
        #expect(run.errors.contains("fifo"), "\(run.errors)")
        #expect([75, Status.noInput].contains(run.status), "\(run.status)")
    }

    @Test func `for a key takes it from a pipe that somebody writes to`() throws {
        let run = try scratch.shell(
            #"cat key > fifo & "$BULLA" get e.bulla pets rex --key-file fifo"#)
        #expect(run.text == "a good dog", "\(run.errors)")
        let piped = try scratch.shell(
            #"cat key | "$BULLA" get e.bulla pets rex --key-file /dev/stdin"#)
        #expect(piped.text == "a good dog", "\(piped.errors)")
    }

    @Test func `for records takes them from a pipe that somebody writes to`() throws {
        let run = try scratch.shell(
            #"printf 'k,v\na,b\n' > fifo & "$BULLA" load p t fifo --format csv --create"#)
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.text.hasPrefix("1 record"))
    }

    @Test(arguments: [("folder", "directory"), ("/dev/zero", "device")])
    func `for a key names what is no file`(name: String, what: String) throws {
        let run = try scratch.bulla("info", "e.bulla", "--key-file", name)
        #expect(run.status == Status.noPermission)
        #expect(run.errors.contains(name) && run.errors.contains(what), "\(run.errors)")
    }
}
