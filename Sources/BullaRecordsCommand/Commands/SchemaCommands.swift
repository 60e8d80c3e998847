internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer
internal import Foundation

/// `bulla-records export-schema`.
struct ExportSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-schema",
        abstract: "Print a container's schema, in CloudKit's schema language.")

    @OptionGroup var service: ServiceArguments
    @OptionGroup var place: PlaceArguments

    func run() throws {
        let text = try service.withStores { try place.core(of: $0).exportSchema() }
        print(String(decoding: text, as: UTF8.self), terminator: "")
    }
}

/// `bulla-records import-schema`.
struct ImportSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-schema",
        abstract: "Replace the schema of a container's development environment.")

    @OptionGroup var service: ServiceArguments
    @Argument(help: "The container, as iCloud.org.example.notes.") var container: String
    @Argument(help: "A file in CloudKit's schema language.", completion: .file())
    var file: String
    @Flag(help: "Remove types and fields that the file lacks; records keep their values.")
    var remove = false

    func run() throws {
        let text = try SchemaFile.bytes(file)
        try service.withStores { stores in
            let (development, production) = try container.cores(in: stores)
            try development.importSchema(text, mayRemove: remove, over: production.schema())
        }
    }
}

/// `bulla-records validate-schema`.
struct ValidateSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate-schema",
        abstract: "Check the text of a schema file; this needs no service.")

    @Argument(help: "A file in CloudKit's schema language.", completion: .file())
    var file: String

    func run() throws {
        let text = try SchemaFile.bytes(file)
        let schema: RecordSchema
        do throws(SchemaTextFault) { schema = try SchemaText.read(text) } catch {
            throw SettingsFault("read \(file): \(error)")
        }
        if let error = SchemaFault.error("validate \(file)", schema.faults()) {
            throw SettingsFault(error.reason)
        }
        print("the schema is valid")
    }
}

/// `bulla-records promote-schema`.
struct PromoteSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote-schema",
        abstract: "Add to a container's production schema what development has.",
        discussion: "Promotion only adds. It prints what it added.",
        aliases: ["promote"])

    @OptionGroup var service: ServiceArguments
    @Argument(help: "The container, as iCloud.org.example.notes.") var container: String

    func run() throws {
        let added = try service.withStores { try $0.promoteSchema(of: container) }
        for part in added { print(part) }
    }
}

extension String {
    /// The cores of both environments of the container.
    fileprivate func cores(
        in stores: ServiceStores
    ) throws -> (development: RecordCore, production: RecordCore) {
        guard let cores = try stores.cores(of: self) else {
            throw SettingsFault(
                "there is no container \(self): bulla-records container add makes one")
        }
        return cores
    }
}

/// A schema file.
private enum SchemaFile {
    static func bytes(_ path: String) throws(SettingsFault) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SettingsFault("read \(path): it does not exist, or cannot be read")
        }
        return [UInt8](data)
    }
}
