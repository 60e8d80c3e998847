import Testing

@Suite struct `A whole store` {
    @Test func `is described for people and for programs`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let text = try scratch.bulla("info", "e.bulla", "--key-file", "key")
        #expect(text.text.contains("aes-256-gcm"))
        let json = try scratch.bulla("info", "e.bulla", "--key-file", "key", "--json")
        #expect(json.member("isEncrypted") == "1" || json.member("isEncrypted") == "true")
        #expect(json.member("treeCount") == "1")
        #expect(json.lines.count == 1)
    }

    @Test func `is made with the page size and the cipher that are asked for`() throws {
        let scratch = try Scratch()
        try scratch.bulla("keygen", "key")
        let run = try scratch.bulla(
            "create", "s", "--key-file", "key", "--page-size", "16384", "--suite",
            "aes-256-ctr-hmac-sha-256", "--json")
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.member("pageByteCount") == "16384")
        #expect(run.member("suite") == "aes-256-ctr-hmac-sha-256")
        let plain = try scratch.bulla("create", "p", "--suite", "aes-256-gcm")
        #expect(plain.status == Status.usage)
        #expect(try scratch.shell("test -e p").status != 0)
    }

    @Test func `lists its trees with their counts, whatever their names`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        try scratch.bulla("put", "p.bulla", "a\u{1B}b", "k", "v")
        #expect(try scratch.bulla("trees", "p.bulla").text == "a\\x1bb\t1\npets\t1\n")
        #expect(
            try scratch.bulla("trees", "p.bulla", "--json").lines.last
                == #"{"entryCount":1,"name":"pets","nameEncoding":"utf-8"}"#)
    }

    @Test func `is not written over by a message when standard descriptors are closed`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        let lines = [
            #""$BULLA" scan p.bulla pets >&-"#, #""$BULLA" scan p.bulla nowhere 2>&-"#,
            #""$BULLA" get p.bulla pets rex <&- >&- 2>&-"#,
            #""$BULLA" put p.bulla pets a <&- 2>&-"#,
        ]
        for line in lines { #expect(try scratch.shell(line).status != 0) }
        #expect(try scratch.shell(lines[0]).status == Status.io)
        #expect(try scratch.bulla("check", "p.bulla").status == Status.success)
        #expect(try scratch.bulla("scan", "p.bulla", "pets").text == "rex\ta good dog\n")
    }

    @Test func `whose answer cannot be written is an error`() throws {
        let scratch = try Scratch()
        try scratch.makePlain()
        for command in [
            "scan p.bulla pets", "get p.bulla pets rex", "info p.bulla", "dump p.bulla",
        ] {
            let run = try scratch.shell("\"$BULLA\" \(command) > /dev/full")
            #expect(run.status == Status.io, "\(command)")
            #expect(run.errors.contains("standard output"), "\(run.errors)")
        }
    }

    @Test func `that is sound is found sound`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let run = try scratch.bulla("check", "e.bulla", "--key-file", "key")
        #expect(run.status == Status.success)
        #expect(run.text.hasPrefix("sound at commit "))
        let json = try scratch.bulla("check", "e.bulla", "--key-file", "key", "--json")
        #expect(json.member("entryCount") == "1")
        #expect(json.member("defects") != nil)
    }

    @Test func `of which a page is damaged is found damaged, with status 2`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.shell("(echo k,v; for i in $(seq 9999); do echo $i,value$i; done) > in.csv")
        try scratch.bulla("load", "e.bulla", "t", "in.csv", "--key-file", "key")
        // Overwrite values in pages in the middle, because the first page is the header and the
        // last pages hold the roots.
        try scratch.shell(
            """
            size=$(stat -c %s e.bulla)
            for part in 3 4 5 6; do
                printf XXXXXXXX | dd of=e.bulla bs=1 seek=$((size * part / 10)) conv=notrunc
            done
            """)
        let run = try scratch.bulla("check", "e.bulla", "--key-file", "key", "--json")
        #expect(run.status == Status.damaged, "\(run.text) \(run.errors)")
        #expect(run.signal == nil)
    }

    @Test func `is compacted under the same key, another one, and none`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        try scratch.bulla("keygen", "new")
        let digest = try scratch.digest("e.bulla")
        let runs = [
            try scratch.bulla("compact", "e.bulla", "same", "--key-file", "key"),
            try scratch.bulla(
                "compact", "e.bulla", "other", "--key-file", "key", "--target-key-file", "new"),
            try scratch.bulla("compact", "e.bulla", "plain", "--key-file", "key", "--plain"),
        ]
        for run in runs { #expect(run.status == Status.success, "\(run.errors)") }
        for (name, key) in [("same", "--key-file key"), ("other", "--key-file new"), ("plain", "")]
        {
            let get = try scratch.shell("\"$BULLA\" get \(name) pets rex \(key)")
            #expect(get.text == "a good dog", "\(get.errors)")
        }
        let old = try scratch.bulla("info", "other", "--key-file", "key")
        #expect(old.status == Status.noPermission)
        #expect(try scratch.digest("e.bulla") == digest)
        let again = try scratch.bulla("compact", "e.bulla", "same", "--key-file", "key")
        #expect(again.status == Status.cannotCreate, "\(again.errors)")
    }

    @Test func `has a log that can be looked at, limited and taken over`() throws {
        let scratch = try Scratch()
        try scratch.bulla("keygen", "key")
        try scratch.bulla("create", "s", "--key-file", "key", "--log-limit", "2MiB")
        try scratch.bulla("put", "s", "pets", "rex", "a good dog", "--key-file", "key")
        let log = try scratch.bulla("log", "s", "--key-file", "key", "--json")
        #expect(log.member("byteLimit") == "2097152")
        #expect(log.member("unmergedByteCount") == "0")
        let limited = try scratch.bulla("log", "s", "--limit", "64MiB", "--key-file", "key")
        #expect(limited.text.contains("at most 64.0 MiB"), "\(limited.text)")
        #expect(try scratch.bulla("info", "s", "--key-file", "key").text.contains("64.0 MiB"))
        let taken = try scratch.bulla("checkpoint", "s", "--key-file", "key", "--json")
        #expect(taken.member("unmergedByteCount") == "0")
        for limit in ["1KiB", "8GiB", "many", "-1"] {
            let run = try scratch.bulla("log", "s", "--limit", limit, "--key-file", "key")
            #expect(run.status == Status.usage, "\(limit)")
        }
        #expect(try scratch.bulla("create", "t", "--log-limit", "9").status == Status.usage)
        #expect(try scratch.bulla("checkpoint", "nowhere").status != Status.success)
    }
}
