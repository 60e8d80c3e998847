import Bulla
import BullaObjects
import Foundation

/// The samples of `ComingFromSwiftData.md`, in its order.
struct SwiftDataPage {
    static let source = #filePath
    let key: StoreKey

    init() throws { key = try StoreKey.random() }

    func run() async throws {
        try await inFolder("The same program") { try await program() }
        try await inFolder("Values") { try values() }
    }

    @Model struct Trip: Hashable {
        @Key var id = UUID()
        @Unique var name: String
        var start: Date
        @Backlinks(\Stay.trip) var stays: Backlinks<Stay>
    }

    @Model struct Stay: Hashable {
        @Key var id = UUID()
        var place: String
        var nights = 1
        @OnDelete(.cascade) var trip: Link<Trip>
        #Index(\Stay.place, \Stay.nights)
    }

    private func program() async throws {
        let now = Date.now
        let database = try await ObjectDatabase.open(
            at: "trips.bulla", key: key, models: Trip.self, Stay.self)

        let trip = Trip(name: "Down the Euphrates", start: now)
        try await database.write { transaction in
            try transaction.insert(trip)
            try transaction.insert(Stay(place: "Mari", nights: 3, trip: Link(trip)))
            try transaction.insert(Stay(place: "Sippar", trip: Link(trip)))
        }
        let long = try await database.read { snapshot in
            try snapshot.fetch(
                Stay.where { $0.nights > 1 && $0.trip.start >= now }.sorted(by: \.place).limit(20))
        }
        let count = try await database.write { transaction in
            // Deletes the trip and its two stays, so the count is 3.
            try transaction.delete(Trip.where { $0.name.hasPrefix("Down") })
        }
        guard long.map(\.place) == ["Mari"], count == 3 else {
            throw CocoaError(.coderInvalidValue)
        }
        try await database.store.close()
    }

    private func values() throws {
        let database = try ObjectDatabase.open(
            at: "trips.bulla", key: key, models: Trip.self, Stay.self)
        try database.write { try $0.insert(Trip(name: "Upstream", start: .now)) }
        var trip = try database.read { try $0.first(of: Trip.all) }
        trip?.name = "Downstream"  // changes this copy alone
        try database.write { [trip] transaction in
            if let trip { try transaction.upsert(trip) }  // this changes the store
        }
        let found = try database.read { try $0.count(of: Trip.where { $0.name == "Downstream" }) }
        guard found == 1 else { throw CocoaError(.coderInvalidValue) }
        try database.store.close()
    }
}
