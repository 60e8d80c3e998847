internal import Bulla
internal import BullaRecords

/// Where a run keeps records.
struct RecordHome {
    let name: String
    /// Returns the backend for a client; with several databases, each client gets a backend of its
    /// own, which has to read the `PlacementMap` itself, as if each client were a process.
    let gateway: (_ client: Int, ContainerKeys) -> any RecordBackend

    /// An encrypted store in this process.
    static func store(_ store: Store) -> RecordHome {
        let backend = EmbeddedBackend(store)
        return RecordHome(name: "a store") { _, _ in backend }
    }

    static func database(_ site: any SiteBackend) -> RecordHome {
        RecordHome(name: "one database") { _, _ in site }
    }

    /// Several databases; the accounts of the clients are spread over them.
    static func databases(_ sites: [any SiteBackend]) -> RecordHome {
        let names = sites.indices.map { "site\($0)" }
        let named = Dictionary(uniqueKeysWithValues: zip(names, sites))
        return RecordHome(name: "\(sites.count) databases") { client, keys in
            PlacedBackend(
                named, first: names[0], newcomers: names[client % names.count],
                checkHead: { head, keys throws(RecordError) in _ = try HeadSeal(of: head, keys) },
                keys: { _ throws(RecordError) in keys })
        }
    }
}
