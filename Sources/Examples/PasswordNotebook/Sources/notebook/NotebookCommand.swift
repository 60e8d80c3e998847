internal import ArgumentParser
internal import Bulla
internal import Foundation
internal import PasswordNotebook

/// The command `notebook`.
@main
struct NotebookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notebook", abstract: "Keeps logins and their passwords in encrypted files.",
        subcommands: [
            Create.self, Set.self, List.self, Show.self, History.self, Delete.self,
            ChangePassword.self,
        ])
}

/// The notebook, and the password that opens it.
struct NotebookArguments: ParsableArguments {
    @Argument(help: "The notebook's file.", completion: .file()) var file: String
    @Option(help: PasswordPlace.help) var password = PasswordPlace.prompt

    func open() throws -> Notebook {
        try Notebook.open(at: file, password: password.password(of: file))
    }
}

/// The error for a name that no login has.
struct NoLogin: Error, CustomStringConvertible {
    let name: String
    var description: String { "there is no login \(name)" }
}

extension NotebookCommand {
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a notebook.")
        @OptionGroup var notebook: NotebookArguments

        func run() throws {
            let password = try notebook.password.password(of: notebook.file, isNew: true)
            try Notebook.create(at: notebook.file, password: password).close()
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a login, or changes it.")
        @OptionGroup var notebook: NotebookArguments
        @Argument(help: "The login's name.") var name: String
        @Option(help: "The user's name.") var user: String?
        @Option(help: "The site to log in to.") var site: String?
        @Option(help: "Any other notes.") var notes: String?
        @Option(help: "Give the login a password, from prompt, fd:NUMBER or file:PATH.")
        var secret: PasswordPlace?

        func run() throws {
            let notebook = try notebook.open()
            var login = try notebook.login(name) ?? Login(user: "")
            login.user = user ?? login.user
            login.site = site ?? login.site
            login.notes = notes ?? login.notes
            let password = try secret?.password(of: name, isNew: true).withBytes {
                String(decoding: $0)
            }
            try notebook.save(
                login, named: name, password: password,
                date: .seconds(Date.now.timeIntervalSince1970))
            try notebook.close()
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the logins of notebooks, each under its own password.")
        @Argument(help: "The notebooks' files.", completion: .file()) var files: [String]
        @Option(help: "The source of the next file's password; a prompt asks for the rest.")
        var password: [PasswordPlace] = []

        func run() throws {
            let notebooks = try files.enumerated().map { number, file in
                let place = number < password.count ? password[number] : .prompt
                return try Notebook.open(at: file, password: place.password(of: file))
            }
            for (file, notebook) in zip(files, notebooks) {
                for entry in try notebook.entries() {
                    switch entry.login {
                    case .success(let login):
                        let site = login.site.isEmpty ? "" : " at \(login.site)"
                        print("\(file): \(entry.name): \(login.user)\(site)")
                    case .failure(let error): print("\(file): \(entry.name): \(error.code)")
                    }
                }
                try notebook.close()
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a login and its present password.")
        @OptionGroup var notebook: NotebookArguments
        @Argument(help: "The login's name.") var name: String

        func run() throws {
            let notebook = try notebook.open()
            guard let login = try notebook.login(name) else { throw NoLogin(name: name) }
            let password = try notebook.passwords(of: name).first?.get().text
            for (label, text) in [
                ("user", login.user), ("site", login.site), ("notes", login.notes),
                ("password", password ?? ""),
            ] where !text.isEmpty {
                print("\(label): \(text)")
            }
            try notebook.close()
        }
    }

    struct History: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the passwords of a login with their dates, the present one first.")
        @OptionGroup var notebook: NotebookArguments
        @Argument(help: "The login's name.") var name: String

        func run() throws {
            let notebook = try notebook.open()
            for password in try notebook.passwords(of: name) {
                switch password {
                case .success(let password):
                    let date = Date(timeIntervalSince1970: password.date / .seconds(1))
                    print(date.formatted(.iso8601), password.text)
                case .failure(let error): print(error.code)
                }
            }
            try notebook.close()
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a login and its passwords.")
        @OptionGroup var notebook: NotebookArguments
        @Argument(help: "The login's name.") var name: String

        func run() throws {
            let notebook = try notebook.open()
            guard try notebook.delete(name) else { throw NoLogin(name: name) }
            try notebook.close()
        }
    }

    struct ChangePassword: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a notebook another password.")
        @OptionGroup var notebook: NotebookArguments
        @Option(help: "The source of the new password.") var new = PasswordPlace.prompt

        func run() throws {
            let notebook = try notebook.open()
            let password = try new.password(of: self.notebook.file, isNew: true)
            try notebook.changePassword(to: password)
            try notebook.close()
        }
    }
}
