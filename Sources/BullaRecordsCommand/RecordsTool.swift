internal import ArgumentParser
internal import Bulla

/// The command `bulla-records`.
@main
struct RecordsTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulla-records",
        abstract: "A service for CloudKit's clients, over encrypted stores on this machine.",
        discussion: """
            First steps, with a settings file as bulla-records settings explains it:
              bulla-records init
              bulla-records container add iCloud.org.example.notes
              bulla-records account add iCloud.org.example.notes alice
              bulla-records program add iCloud.org.example.notes web
              bulla-records serve

            Every command except settings and validate-schema reads the settings file. All \
            commands except restore can run while the service runs.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Serving",
                subcommands: [InitCommand.self, ServeCommand.self, SettingsCommand.self]),
            CommandGroup(
                name: "Containers, users and clients",
                subcommands: [
                    ContainerCommand.self, AccountCommand.self, ProgramCommand.self,
                    ServerKeyCommand.self,
                ]),
            CommandGroup(
                name: "Schemas",
                subcommands: [
                    ExportSchemaCommand.self, ImportSchemaCommand.self,
                    ValidateSchemaCommand.self, PromoteSchemaCommand.self,
                ]),
            CommandGroup(name: "Databases", subcommands: [PlacementCommand.self]),
            CommandGroup(
                name: "Backups and checks",
                subcommands: [BackupCommand.self, RestoreCommand.self, VerifyCommand.self]),
        ])
}
