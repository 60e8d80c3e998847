import Testing

@Suite struct `Keeping a store safe` {
    @Test func `with backups brings back each state that was backed up`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let key = ["--key-file", "key"]
        let first = try scratch.bulla(["backup", "e.bulla", "b1", "--json"] + key)
        #expect(first.status == Status.success, "\(first.errors)")
        let commit = try #require(first.member("commit"))
        let anchor = try #require(first.member("anchor"))
        try scratch.bulla(["put", "e.bulla", "pets", "tom", "a cat"] + key)
        let second = try scratch.bulla(["backup", "e.bulla", "b2", "--since", anchor] + key)
        #expect(second.status == Status.success, "\(second.errors)")
        #expect(second.lines.first?.hasSuffix("since commit \(commit)") == true, "\(second.text)")
        let now = try scratch.bulla(["anchor", "e.bulla"] + key)
        #expect(second.lines.last == now.lines.first)

        #expect(try scratch.bulla(["restore", "r1", "b1"] + key).status == Status.success)
        #expect(try scratch.bulla(["restore", "r2", "b1", "b2"] + key).status == Status.success)
        #expect(try scratch.bulla(["scan", "r1", "pets"] + key).text == "rex\ta good dog\n")
        #expect(
            try scratch.bulla(["scan", "r2", "pets"] + key).text
                == "rex\ta good dog\ntom\ta cat\n")
        #expect(try scratch.bulla(["check", "r2"] + key).status == Status.success)
    }

    @Test func `with backups refuses what would lose or mix something`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let key = ["--key-file", "key"]
        try scratch.bulla(["backup", "e.bulla", "b1"] + key)
        #expect(try scratch.bulla(["backup", "e.bulla", "b1"] + key).status == Status.cannotCreate)
        #expect(try scratch.bulla(["restore", "b1", "b1"] + key).status == Status.cannotCreate)
        let wrong = try scratch.bulla(["backup", "e.bulla", "b2", "--since", "99"] + key)
        #expect(wrong.status == Status.usage)
        #expect(wrong.errors.contains("bulla backup prints one"))
        let zeros = String(repeating: "0", count: 32)
        let other = "bulla-anchor:1:\(zeros):\(zeros):1"
        let strange = try scratch.bulla(["backup", "e.bulla", "b2", "--since", other] + key)
        #expect(strange.status == Status.usage)
        #expect(strange.errors.contains("another store"))
        #expect(try scratch.bulla(["restore", "r", "b1", "b1"] + key).status == Status.usage)
        #expect(try scratch.bulla(["restore", "r", "key"] + key).status == Status.data)
        #expect(try scratch.bulla("restore", "r", "b1").status == Status.noPermission)
        #expect(try scratch.bulla(["restore", "r", "nothing"] + key).status == Status.noInput)
        #expect(try scratch.shell("ls | grep -vE '[0-9A-F-]{36}'").text == "b1\ne.bulla\nkey\n")
    }

    @Test func `with an anchor tells an old file that was put back`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let key = ["--key-file", "key"]
        try scratch.shell("cp e.bulla old")
        try scratch.bulla(["put", "e.bulla", "pets", "tom", "a cat"] + key)
        let anchor = try scratch.bulla(["anchor", "e.bulla"] + key)
        #expect(anchor.status == Status.success, "\(anchor.errors)")
        let guarded = key + ["--not-older-than", try #require(anchor.lines.first)]
        #expect(try scratch.bulla(["get", "e.bulla", "pets", "rex"] + guarded).status == 0)
        try scratch.shell("cp old e.bulla")
        let refused = try scratch.bulla(["get", "e.bulla", "pets", "rex"] + guarded)
        #expect(refused.status == Status.damaged)
        #expect(refused.text.isEmpty)
        #expect(try scratch.bulla(["get", "e.bulla", "pets", "rex"] + key).status == 0)
        let wrong = try scratch.bulla(["info", "e.bulla", "--not-older-than", "x"] + key)
        #expect(wrong.status == Status.usage)
    }

    @Test func `by a salvage keeps what verifies, and never touches what is damaged`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        let key = ["--key-file", "key"]
        try scratch.shell("(echo k,v; for i in $(seq 9999); do echo $i,value$i; done) > in.csv")
        try scratch.bulla(["load", "e.bulla", "t", "in.csv"] + key)
        let whole = try scratch.bulla(["salvage", "e.bulla", "whole"] + key)
        #expect(whole.status == Status.success, "\(whole.errors)")
        #expect(whole.text.hasPrefix("saved 10000 entries of commit "), "\(whole.text)")
        // Write past the log, which has 1 MiB. Write eight bytes, because a single one could equal
        // what is there already.
        try scratch.shell(
            "printf XXXXXXXX | dd of=e.bulla bs=1 seek=$((65536+1048576+4096*40)) conv=notrunc")
        let before = try scratch.shell("sha256sum e.bulla").text
        let run = try scratch.bulla(["salvage", "e.bulla", "saved", "--json"] + key)
        #expect(run.status == Status.damaged)
        #expect(try scratch.bulla(["check", "e.bulla"] + key).status == Status.damaged)
        #expect(try scratch.shell("sha256sum e.bulla").text == before)
        #expect(try scratch.bulla(["check", "saved"] + key).status == Status.success)
        #expect(
            try scratch.bulla(["salvage", "e.bulla", "saved"] + key).status == Status.cannotCreate)
        #expect(
            try scratch.shell("ls | grep -vE '[0-9A-F-]{36}'").text
                == "e.bulla\nin.csv\nkey\nsaved\nwhole\n")
    }

    @Test func `by another key makes the former one useless`() throws {
        let scratch = try Scratch()
        try scratch.makeEncrypted()
        #expect(try scratch.bulla("keygen", "new").status == Status.success)
        let former = ["--key-file", "key"]
        #expect(try scratch.bulla(["key", "change", "e.bulla"] + former).status == Status.usage)
        let run = try scratch.bulla(["key", "change", "e.bulla", "--new-key-file", "new"] + former)
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.text.isEmpty)
        let refused = try scratch.bulla(["get", "e.bulla", "pets", "rex"] + former)
        #expect(refused.status == Status.noPermission)
        let got = try scratch.bulla(["get", "e.bulla", "pets", "rex", "--key-file", "new"])
        #expect(got.text.hasPrefix("a good dog"))
    }
}
