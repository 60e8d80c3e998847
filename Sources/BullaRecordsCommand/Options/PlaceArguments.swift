internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces
internal import BullaRecords
internal import BullaRecordsServer
internal import Logging

/// The container, and its environment.
struct PlaceArguments: ParsableArguments {
    enum Name: String, ExpressibleByArgument, CaseIterable {
        case development, production
    }

    @Argument(help: "The container, such as iCloud.org.example.notes.") var container: String

    @Option(help: "The container's environment.") var environment = Name.development

    var place: Place {
        Place(container, environment == .development ? .development : .production)
    }

    /// The core of the place.
    func core(of stores: ServiceStores) throws -> RecordCore {
        guard let core = try stores.core(of: place) else { throw unknown }
        return core
    }

    /// Throws an error if there is no such container.
    func check(in stores: ServiceStores) throws {
        guard try stores.keyring.containers.contains(place) else { throw unknown }
    }

    private var unknown: SettingsFault {
        SettingsFault("there is no container \(container): bulla-records container add makes one")
    }

    /// The account with a name.
    func account(_ name: String, in stores: ServiceStores) throws -> AccountIdentifier {
        try check(in: stores)
        guard let account = try stores.keyring.names.account(named: name, in: place) else {
            throw SettingsFault(
                "no account of \(container) (\(environment.rawValue)) has this name")
        }
        return account
    }
}

/// The source of an account's password.
struct PasswordArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Where the password is: \(KeyPlace.forms).", valueName: "source"))
    var passwordSource = "prompt"

    /// Reads a new password; a prompt asks twice.
    func newKey(_ logger: Logger) throws -> StoreKey {
        try Self.key(passwordSource, isNew: true, logger)
    }

    /// Reads a password from the place that `source` names.
    static func key(
        _ source: String, isNew: Bool = false, _ logger: Logger
    ) throws -> StoreKey {
        guard let place = KeyPlace(source) else {
            throw ValidationError("expected the source of the password: \(KeyPlace.forms)")
        }
        var request = KeyRequest(place: place, isPassword: true)
        request.isNew = isNew
        return try request.key(within: .seconds(30), logger: logger)
    }
}
