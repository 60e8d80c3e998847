import Foundation
import Testing

/// The page that `scripts/manual` writes, compared with what the command says about itself.
@Suite struct `The manual page` {
    private struct Help: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?
    }

    private struct Argument: Decodable {
        let names: [Name]?
    }

    private struct Name: Decodable {
        let name: String

        var typed: String { name.count == 1 ? "-\(name)" : "--\(name)" }
    }

    private let page: String
    private let root: Command

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/BullaCommand/Manual/bulla.1")
        page = try String(contentsOf: file, encoding: .utf8)
        let run = try Scratch().bulla("--experimental-dump-help")
        root = try JSONDecoder().decode(Help.self, from: Data(run.output)).command
    }

    /// Escapes hyphens, so that roff prints hyphens that can be copied.
    private func escaped(_ text: String) -> String { text.replacing("-", with: "\\-") }

    @Test func `names every command and every option`() {
        func check(_ command: Command, _ words: String) {
            for name in (command.arguments ?? []).flatMap({ $0.names ?? [] }) {
                #expect(page.contains("\\fB\(escaped(name.typed))\\fR"), "\(words) \(name.typed)")
            }
            for next in command.subcommands ?? [] where next.commandName != "help" {
                let path = "\(words) \(next.commandName)"
                #expect(page.contains(".SS \(escaped(path))\n"), "\(path)")
                check(next, path)
            }
        }
        check(root, "bulla")
    }

    @Test func `has every exit status of the help`() throws {
        let help = try Scratch().bulla("--help").text
        let table = help.matches(of: /\n +([0-9]+)  [a-z]/)
        #expect(table.count > 10)
        for row in table { #expect(page.contains(".B \(row.output.1)\n")) }
    }

    @Test func `is of this version`() throws {
        let version = try #require(try Scratch().bulla("--version").lines.first)
        #expect(page.contains("\"Bulla \(version)\""))
    }
}
