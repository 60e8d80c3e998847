internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// The arguments that name an existing account: the service, the account's place, and its name.
struct AccountArguments: ParsableArguments {
    @OptionGroup var service: ServiceArguments
    @OptionGroup var place: PlaceArguments
    @Argument(help: "The name to sign in by.") var name: String

    /// Runs `body` with the service's stores, the account, and the account's place.
    func withAccount<R>(
        _ body: (ServiceStores, AccountIdentifier, Place) throws -> R
    ) throws -> R {
        try service.withStores { stores in
            try body(stores, place.account(name, in: stores), place.place)
        }
    }
}
