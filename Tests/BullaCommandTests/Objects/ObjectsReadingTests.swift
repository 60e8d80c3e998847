import Testing

@Suite struct `A store of objects, looked into by the command` {
    private let scratch: Scratch
    private let key = ["--key-file", "key"]

    init() throws {
        scratch = try Scratch()
        try scratch.makeFirm()
    }

    private func run(_ arguments: String...) throws -> CommandRun {
        try scratch.bulla(["objects"] + arguments + key)
    }

    private func query(_ arguments: String...) throws -> CommandRun {
        try scratch.bulla(["objects", "query", "firm.bulla", "Employee"] + arguments + key)
    }

    @Test func `has models that are listed with the number of their objects`() throws {
        let text = try run("list", "firm.bulla")
        #expect(text.status == Status.success, "\(text.errors)")
        #expect(text.text == "Company\t1\nEmployee\t3\nMember\t1\n")
        let json = try run("list", "firm.bulla", "--json")
        #expect(json.lines[1] == "{\"model\":\"Employee\",\"objectCount\":3}")
        try scratch.makePlain()
        let none = try scratch.bulla("objects", "list", "p.bulla")
        #expect(none.status == Status.success && none.text.isEmpty)
    }

    @Test func `describes itself, for people and for programs`() throws {
        let text = try run("schema", "firm.bulla")
        #expect(
            text.text == """
                model Company
                  key name
                  name: string
                model Employee
                  key number
                  number: integer
                  name: string
                  age: integer
                  joined: date
                  tags: list of string
                  company: link to Company or nil, on delete nullify
                  index company
                  index name
                  index company, age
                model Member
                  key number
                  number: integer
                  pin: sealed or nil, in the vault pins, keeping 2

                """)
        let json = try run("schema", "firm.bulla", "--json")
        #expect(json.member("generation") == "1")
        let link = "\"name\":\"company\",\"of\":\"Company\",\"type\":\"link\""
        #expect(json.text.contains(link), "\(json.text)")
    }

    @Test func `answers queries, as rows and as lines of JSON`() throws {
        let rows = try query("--sort", "number")
        #expect(rows.status == Status.success, "\(rows.errors)")
        #expect(
            rows.lines == [
                "number\tname\tage\tjoined\ttags\tcompany",
                "7\tEnheduanna\t64\t\"2001-01-01T00:01:04.25Z\"\t[\"poet\",\"priest\"]\t\"Ur\"",
                "8\tNin\\tbanda\t30\t\"2001-01-01T00:00:30.25Z\"\t[]\t\"Ur\"",
                "9\tAdda\t20\t\"2001-01-01T00:00:20.25Z\"\t[]\tnull",
            ])
        let lines = try query(
            "count(tags) = 0", "--sort", "-age", "--limit", "1", "--select", "name,company.name",
            "--json")
        #expect(lines.text == "{\"name\":\"Nin\\tbanda\",\"company.name\":\"Ur\"}\n")
        #expect(try query("company.name = 'Ur'", "--count").text == "2\n")
        #expect(try query("age < 1", "--count", "--json").text == "{\"objectCount\":0}\n")
        let company = try scratch.bulla(
            ["objects", "query", "firm.bulla", "Company", "count(Employee.company) > 1"] + key)
        #expect(company.lines == ["name", "Ur"])
    }

    @Test func `says how a query is answered`() throws {
        let text = try run("explain", "firm.bulla", "Employee", "name = 'Adda'", "--sort", "age")
        #expect(text.status == Status.success, "\(text.errors)")
        #expect(text.text.contains("the index of Employee.name"))
        let json = try run("explain", "firm.bulla", "Employee", "--json")
        #expect(json.text.hasPrefix("{\"steps\":[\"look in all of Employee"))
    }

    @Test func `says where a query is wrong, and repeats nothing of it`() throws {
        let wrong = try query("age > 3 and nema = 'secret'")
        #expect(wrong.status == Status.usage)
        #expect(
            wrong.errors.hasPrefix("bulla: read the condition, column 13: Employee has no such"))
        #expect(!wrong.errors.contains("nema") && !wrong.errors.contains("secret"))
        let json = try query("age >", "--json")
        #expect(json.errorMember("code") == "invalidQuery")
        #expect(json.errorMember("exit") == "64")
        #expect(try query("--sort", "tags").status == Status.usage)
        #expect(try query("--limit=-1").status == Status.usage)
        #expect(try query("--count", "--sort", "age").status == Status.usage)
        for verb in ["query", "explain", "export"] {
            let missing = try run(verb, "firm.bulla", "Employe")
            #expect(missing.status == Status.notFound)
            #expect(missing.errors.contains("bulla objects list"))
            #expect(!missing.errors.contains("Employe"))
        }
    }

    @Test func `suggests a model where somebody at a terminal mistypes one`() throws {
        let run = try TypedRun(scratch, ["objects", "query", "firm.bulla", "Employe"] + key)
        try run.until("did you mean Employee?")
        #expect(try run.end() == Status.notFound)
    }
}
