import Testing

@Suite struct `The command line` {
    static let commands = [
        "keygen", "create", "put", "get", "delete", "scan", "load", "dump", "trees", "info",
        "check", "compact", "shell", "batch", "drop", "rename", "stat", "backup", "restore",
        "salvage", "anchor", "key", "vault", "watch", "objects",
    ]

    @Test func `gives help with status 0, an example and the exit statuses`() throws {
        let run = try Scratch().bulla("--help")
        #expect(run.status == Status.success)
        #expect(run.errors.isEmpty)
        #expect(run.text.contains("bulla keygen my.key"))
        #expect(run.text.contains("77  wrong key"))
        for command in Self.commands { #expect(run.text.contains("  \(command) ")) }
    }

    @Test(arguments: commands)
    func `gives help for each command, with an example`(command: String) throws {
        let run = try Scratch().bulla(command, "--help")
        #expect(run.status == Status.success)
        #expect(run.text.contains("  bulla \(command) "))
        #expect(run.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test(arguments: [
        ("key", ["list", "verify", "add", "remove", "change", "rotate", "reencrypt"]),
        ("vault", ["list", "create", "drop", "slots", "open"]),
        ("objects", ["list", "schema", "query", "explain", "export", "import"]),
    ])
    func `gives help for each verb of keys, vaults and objects`(command: String, verbs: [String])
        throws
    {
        for verb in verbs {
            let run = try Scratch().bulla(command, verb, "--help")
            #expect(run.status == Status.success)
            #expect(run.text.contains("  bulla \(command) \(verb) my.bulla"))
            #expect(run.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }

    @Test func `says its version with status 0`() throws {
        #expect(try Scratch().bulla("--version").status == Status.success)
    }

    @Test(arguments: [
        ["nonsense"], ["get"], ["info", "x", "--no-such-option"],
        ["scan", "x", "t", "--limit", "-1"],
        ["scan", "x", "t", "--raw", "--hex"], ["info", "x", "--key-file", "a", "--key-fd", "3"],
        ["load", "x", "t"], ["load", "x", "t", "f", "--batch=-1"],
        ["create", "x", "--page-size", "1"],
        ["create", "x", "--suite", "rot13"], ["put", "x", "t", "k", "v", "--value-file", "f"],
        ["load", "x", "f", "--format", "dump", "--key-field", "a"], ["info", "x", "--timeout=-1"],
        ["compact", "a", "b", "--plain", "--target-key-file", "k"], ["load", "x", "t", "-", "-"],
    ])
    func `that is wrong ends with status 64 and names what is wrong`(arguments: [String]) throws {
        let scratch = try Scratch()
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try scratch.shell("\"$BULLA\" \(quoted)")
        #expect(run.status == Status.usage)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("bulla: "))
        #expect(!run.errors.contains("Error:"))
    }

    @Test(arguments: [
        (["creat", "x"], "did you mean bulla create?"),
        (["scna", "x"], "did you mean bulla scan?"),
        (["frobnicate"], "bulla --help lists them"),
        (["key", "lits", "x"], "did you mean bulla key list?"),
        (["key", "frobnicate"], "bulla key --help lists them"),
        (["info", "x", "--key-fil", "k"], "Did you mean '--key-file'?"),
    ])
    func `that is mistyped says what may have been meant`(
        arguments: [String], question: String
    ) throws {
        let run = try Scratch().bulla(arguments)
        #expect(run.status == Status.usage)
        #expect(run.errors.contains(question), "\(run.errors)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `has a completion script that the shell takes`(shell: String) throws {
        let scratch = try Scratch()
        let script = try scratch.bulla("--generate-completion-script", shell)
        #expect(script.status == Status.success)
        #expect(script.text.contains("rename"))
        guard shell == "bash" else { return }
        try scratch.write("script", script.output)
        let run = try scratch.shell(
            """
            bash -c 'source ./script; COMP_WORDS=(bulla ren); COMP_CWORD=1; COMP_TYPE=9
                cur=ren; prev=bulla; _bulla; echo "${COMPREPLY[@]}"'
            """)
        #expect(run.text.contains("rename"), "\(run.errors)")
    }

    @Test func `that is wrong says so in JSON to a program that asked for JSON`() throws {
        let run = try Scratch().bulla("info", "--json")
        #expect(run.status == Status.usage)
        #expect(run.errorMember("code") == "usage")
        #expect(run.errorMember("exit") == "64")
    }

    @Test func `that is not UTF-8 is refused, and never read as something else`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        let run = try scratch.shell(#""$BULLA" put p.bulla pets "$(printf 'a\377')" v"#)
        #expect(run.status == Status.usage)
        #expect(run.errors.contains("--hex"))
    }
}
