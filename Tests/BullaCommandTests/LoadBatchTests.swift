import Testing

@Suite struct `A load` {
    private func makeStore() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.bulla("create", "s")
        try scratch.shell("(echo k,v; for i in $(seq 1000); do echo $i,value$i; done) > in.csv")
        return scratch
    }

    @Test func `commits in batches, and says how many`() throws {
        let scratch = try makeStore()
        let run = try scratch.bulla("load", "s", "t", "in.csv", "--batch", "300", "--json")
        #expect(run.member("records") == "1000")
        #expect(run.member("commits") == "4")
        #expect(try scratch.bulla("trees", "s").text == "t\t1000\n")
        #expect(try scratch.bulla("load", "s", "t", "in.csv").text.hasPrefix("1000 records, "))
        #expect(try scratch.bulla("load", "s", "t", "in.csv", "--quiet").output.isEmpty)
    }

    @Test func `that meets a malformed row keeps the batches before, and says so`() throws {
        let scratch = try makeStore()
        try scratch.shell("echo oops >> in.csv")
        let run = try scratch.bulla("load", "s", "t", "in.csv", "--batch", "300", "--json")
        #expect(run.status == Status.data)
        #expect(run.errors.contains("in.csv: line 1002: "))
        #expect(run.errors.contains("\"records\":900"))
        #expect(run.errors.contains("\"uncommitted\":100"))
        #expect(try scratch.bulla("trees", "s").text == "t\t900\n")
    }

    @Test func `in one batch is all or nothing`() throws {
        let scratch = try makeStore()
        let digest = try scratch.shell(#""$BULLA" dump s"#).text
        try scratch.shell("echo oops >> in.csv")
        let run = try scratch.bulla("load", "s", "t", "in.csv", "--batch", "0")
        #expect(run.status == Status.data)
        #expect(try scratch.shell(#""$BULLA" dump s"#).text == digest)
    }

    @Test(arguments: ["INT", "TERM"])
    func `that is interrupted keeps its batches, says how many, and dies of it`(
        signal: String
    ) throws {
        let scratch = try makeStore()
        let run = try scratch.shell(
            """
            mkfifo pipe
            "$BULLA" load s t pipe --format csv --batch 300 & load=$!
            exec 3> pipe
            cat in.csv >&3
            for i in $(seq 100); do
                "$BULLA" trees s | grep -q 900 && break
                sleep 0.1
            done
            sleep 0.3
            kill -\(signal) $load
            wait $load
            echo $?
            """)
        #expect(run.text == (signal == "INT" ? "130\n" : "143\n"))
        #expect(run.errors.contains("interrupted"), "\(run.errors)")
        #expect(run.errors.contains("900 records in 3 commits"), "\(run.errors)")
        #expect(try scratch.bulla("trees", "s").text == "t\t900\n")
    }

    @Test func `whose file is missing begins nothing`() throws {
        let scratch = try makeStore()
        let digest = try scratch.digest("s")
        let run = try scratch.bulla("load", "s", "t", "in.csv", "nowhere.csv")
        #expect(run.status == Status.noInput)
        #expect(run.errors.contains("nowhere.csv"))
        #expect(try scratch.digest("s") == digest)
        #expect(try scratch.bulla("load", "s", "t", ".").status == Status.noInput)
    }

    @Test func `makes the store only when it is asked to`() throws {
        let scratch = try makeStore()
        #expect(try scratch.bulla("load", "new", "t", "in.csv").status == Status.noInput)
        #expect(try scratch.bulla("load", "new", "t", "in.csv", "--create").status == 0)
        #expect(try scratch.bulla("load", "new", "t", "in.csv", "--create").status == 0)
        #expect(try scratch.bulla("trees", "new").text == "t\t1000\n")
    }

    @Test func `of a format that nothing tells asks for it`() throws {
        let scratch = try makeStore()
        try scratch.shell("mv in.csv what")
        let run = try scratch.bulla("load", "s", "t", "what")
        #expect(run.status == Status.data)
        #expect(run.errors.contains("--format"))
    }

    @Test func `shows its progress on a terminal, and only there`() throws {
        let scratch = try makeStore()
        #expect(try scratch.bulla("load", "s", "t", "in.csv").errors.isEmpty)
        let shown = try scratch.shell(#"script -qec '"$BULLA" load s t in.csv' /dev/null"#)
        #expect(shown.text.contains("load ["))
        let quiet = try scratch.shell(#"script -qec '"$BULLA" load s t in.csv -q' /dev/null"#)
        #expect(quiet.text.isEmpty)
    }
}
