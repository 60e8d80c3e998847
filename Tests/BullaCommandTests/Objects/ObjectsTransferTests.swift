import Bulla
import BullaObjects
import Foundation
import Testing

@Suite struct `Objects, taken out and in by the command` {
    private let scratch: Scratch
    private let key = ["--key-file", "key"]

    init() throws {
        scratch = try Scratch()
        try scratch.makeFirm()
        try scratch.makeFirm("copy.bulla", isEmpty: true)
    }

    private func run(_ arguments: String...) throws -> CommandRun {
        try scratch.bulla(["objects"] + arguments + key)
    }

    private func importing(
        _ lines: String, _ arguments: String..., into model: String = "Employee"
    ) throws -> CommandRun {
        try scratch.write("lines", lines)
        return try scratch.bulla(
            ["objects", "import", "copy.bulla", model, "lines"] + arguments + key)
    }

    @Test func `come back as they were`() throws {
        let all = try run("export", "firm.bulla")
        #expect(all.status == Status.success, "\(all.errors)")
        #expect(all.lines[0] == "{\"Company\":{\"name\":\"Ur\"}}")
        let file = try run("export", "firm.bulla", "-o", "all.jsonl")
        #expect(file.status == Status.success && file.output.isEmpty)
        #expect(try scratch.read("all.jsonl") == all.output)
        #expect(try run("export", "firm.bulla", "-o", "all.jsonl").status == Status.cannotCreate)
        let taken = try run("import", "copy.bulla", "--all", "all.jsonl", "--without-sealed")
        #expect(taken.status == Status.success, "\(taken.errors)")
        #expect(taken.text == "5 objects added, 0 replaced, 1 commit\n")
        for model in ["Company", "Employee"] {
            let one = try run("export", "firm.bulla", model)
            #expect(try run("export", "copy.bulla", model).output == one.output)
            #expect(!one.output.isEmpty)
        }
    }

    @Test func `come from a pipe, too, compressed or not`() throws {
        let run = try scratch.shell(
            #""$BULLA" objects export firm.bulla Employee --key-file key | gzip > e.jsonl.gz; "#
                + #""$BULLA" objects import copy.bulla Employee e.jsonl.gz --key-file key --json; "#
                + #""$BULLA" objects export firm.bulla Company --key-file key | "#
                + #""$BULLA" objects import copy.bulla Company --key-file key --quiet"#)
        #expect(run.errors.isEmpty)
        #expect(run.text == "{\"commitCount\":1,\"insertedCount\":3,\"replacedCount\":0}\n")
        let list = try self.run("list", "copy.bulla")
        #expect(list.text == "Company\t1\nEmployee\t3\nMember\t0\n")
    }

    @Test func `are refused where a line is wrong, with its number and no value`() throws {
        let lines = "{\"number\":1,\"name\":\"a\"}\n{\"number\":2,\"name\":4711}\n"
        let wrong = try importing(lines)
        #expect(wrong.status == Status.data)
        #expect(
            wrong.errors == "bulla: import line 2: Employee.name: it is not a string; "
                + "nothing was stored\n")
        let json = try importing(lines, "--json")
        #expect(json.errorMember("code") == "invalidLine")
        #expect(json.errorMember("exit") == "65")
        let twice = try importing("{\"number\":4711}\n\n{\"number\":4711}\n")
        #expect(twice.status == Status.data)
        #expect(twice.errors.hasPrefix("bulla: import line 3: insert Employee: it is there"))
        #expect(try run("list", "copy.bulla").text == "Company\t0\nEmployee\t0\nMember\t0\n")
    }

    @Test func `take the place of others where that is asked for`() throws {
        #expect(try importing("{\"number\":1,\"name\":\"a\"}\n").status == Status.success)
        let again = try importing("{\"number\":1,\"name\":\"b\"}\r\n{\"number\":2}", "--upsert")
        #expect(again.text == "1 object added, 1 replaced, 1 commit\n", "\(again.errors)")
        let names = try run(
            "query", "copy.bulla", "Employee", "--sort", "number", "--select", "name")
        #expect(names.text == "name\nb\n\n")
    }

    @Test func `leave what is sealed behind, and say so`() throws {
        let line = try run("export", "firm.bulla", "Member")
        #expect(line.text.hasPrefix("{\"number\":1,\"pin\":{\"sealed\":"))
        #expect(!line.text.contains("4711"))
        let refused = try importing(line.text, into: "Member")
        #expect(refused.status == Status.data)
        #expect(refused.errors.contains("line 1: Member.pin: it is sealed"))
        let taken = try importing(line.text, "--without-sealed", into: "Member")
        #expect(taken.status == Status.success, "\(taken.errors)")
    }

    @Test(arguments: [
        ["import", "copy.bulla"], ["import", "copy.bulla", "Employee", "a", "b"],
        ["import", "copy.bulla", "--all", "a", "b"],
    ])
    func `need a command line that says what they are`(arguments: [String]) throws {
        let run = try scratch.bulla(["objects"] + arguments + key)
        #expect(run.status == Status.usage)
        #expect(run.output.isEmpty)
    }

    @Test func `need a model, a file and a store that are there`() throws {
        #expect(try importing("{}\n", into: "Nobody").status == Status.notFound)
        #expect(try run("import", "copy.bulla", "Employee", "none").status == Status.noInput)
        let store = try run("import", "none.bulla", "Employee", "key")
        #expect(store.status == Status.noInput)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("none.bulla").path))
        let key = try scratch.bulla("objects", "list", "firm.bulla")
        #expect(key.status == Status.noPermission)
    }
}
