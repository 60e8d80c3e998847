internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// The containers and environments of a command that works on all of them, or on some.
struct PlacesArguments: ParsableArguments {
    @Argument(help: "A container; without it, all of them.") var container: String?

    @Option(help: "An environment; without it, both.") var environment: PlaceArguments.Name?

    /// The places, sorted by container.
    func places(in stores: ServiceStores) throws -> [Place] {
        let places = try stores.keyring.containers.places().filter { place in
            (container.map { $0 == place.container } ?? true)
                && (environment.map { $0.rawValue == place.environment.name } ?? true)
        }
        guard !places.isEmpty || container == nil else {
            throw SettingsFault(
                "there is no container \(container ?? ""): bulla-records container add makes one")
        }
        return places
    }
}
