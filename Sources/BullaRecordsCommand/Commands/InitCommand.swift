internal import ArgumentParser
internal import Bulla
internal import BullaRecordsServer
internal import Foundation

/// `bulla-records init`.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the stores that are missing.",
        discussion: """
            Each store has its own key, which bulla keygen can make. Keep copies of both keys, \
            apart from each other and from the backups: without the keys, the data is lost.
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
        abstract: "Explain all settings, with their default values.",
        discussion: """
            The file is a JSON object; limits.requestBytes is the member requestBytes of the \
            object limits. An environment variable takes precedence over the file.
            """)

    func run() { print(Setting.reference, terminator: "") }
}
