internal import ArgumentParser
internal import Bulla
internal import BullaObjects
internal import SealedNotebook

/// The command `logins`.
@main
struct LoginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logins", abstract: "Keeps logins and their passwords in encrypted files.",
        subcommands: [Set.self, List.self, Show.self])
}

/// Reads a password from a file of mode 0600 or from a prompt.
///
/// The password is never an argument, because all processes can see a command's arguments.
func password(from file: String?, _ question: String) throws -> Secret {
    guard let file else { return try PromptKeySource("\(question): ").load() }
    return try FileKeySource(file).load()
}

/// The notebook, and where its password comes from.
struct NotebookArguments: ParsableArguments {
    @Argument(help: "The notebook's file.", completion: .file()) var file: String
    @Option(help: "A file with its password; without one, a prompt asks.")
    var passwordFile: String?

    func open(_ creation: StoreOptions.Creation = .never) throws -> Notebook {
        let password = try password(from: passwordFile, "Password of \(file)")
        return try Notebook(at: file, password: password, creation: creation)
    }
}

extension LoginsCommand {
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Adds a login, or changes it.")
        @OptionGroup var notebook: NotebookArguments
        @Argument(help: "The login's name.") var name: String
        @Argument(help: "The user's name.") var user: String
        @Option(help: "The site to log in to.") var site = ""
        @Option(help: "A file with the login's password; without one, a prompt asks.")
        var secretFile: String?

        func run() throws {
            let notebook = try notebook.open(.ifMissing)
            let secret = try password(from: secretFile, "Password of \(name)")
            try notebook.save(Login(name: name, user: user, site: site, password: secret))
            try notebook.close()
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the logins of notebooks, each under its own password.")
        @Argument(help: "The notebooks' files.", completion: .file()) var files: [String]
        @Option(help: "A file with the next notebook's password; a prompt asks for the rest.")
        var passwordFile: [String] = []

        func run() throws {
            let notebooks = try files.enumerated().map { number, file in
                let place = number < passwordFile.count ? passwordFile[number] : nil
                return try Notebook(
                    at: file, password: password(from: place, "Password of \(file)"))
            }
            for (file, notebook) in zip(files, notebooks) {
                for sealed in try notebook.logins() {
                    let login = try sealed.open()
                    print("\(file): \(login.name): \(login.user) \(login.site)")
                }
                try notebook.close()
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the passwords of a login, the present one first.")
        @OptionGroup var notebook: NotebookArguments
        @Argument(help: "The login's name.") var name: String

        func run() throws {
            let notebook = try notebook.open()
            guard let login = try notebook.login(name)?.open() else {
                throw ValidationError("there is no login \(name)")
            }
            for password in try [login.password] + notebook.formerPasswords(of: name) {
                print(try password.withCleartext { String(decoding: $0) })
            }
            try notebook.close()
        }
    }
}
