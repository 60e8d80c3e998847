internal import ArgumentParser
internal import Bulla
internal import BullaRecordsServer
internal import Foundation

/// `bulla-records init`.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the stores where they are missing.",
        discussion: """
            Each has a key of its own, as bulla keygen makes one. Keep copies of both, apart from \
            each other and from the backups: whoever loses them loses the data.
            """)

    @OptionGroup var service: ServiceArguments

    func run() throws {
        let settings = try service.load()
        try FileManager.default.createDirectory(
            atPath: settings.data, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let stores = try settings.open(creation: .ifMissing, logger: settings.logger)
        try stores.close()
        print("the stores are in \(settings.data)")
    }
}

/// `bulla-records settings`.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Explain the settings: what each is for, and what it is where nobody says.",
        discussion: """
            The file is an object of JSON; limits.requestBytes is the member requestBytes of the \
            object limits. What a variable of the environment says goes before it.
            """)

    func run() { print(Setting.reference, terminator: "") }
}
