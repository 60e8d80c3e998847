import Bulla
import BullaObjects
import Foundation

/// The samples of `ComingFromGRDB.md`, in its order.
struct GRDBPage {
    static let source = #filePath
    let key: StoreKey

    init() throws { key = try StoreKey.random() }

    func run() async throws {
        try await inFolder("The same program") { try await program() }
    }

    @Model struct Team: Hashable {
        @Key var name: String
        @Backlinks(\Player.team) var players: Backlinks<Player>
    }

    @Model struct Player: Hashable {
        @Key var number: Int
        @Indexed var name: String
        @Indexed var score = 0
        @OnDelete(.cascade) var team: Link<Team>?
    }

    private func program() async throws {
        let database = try await ObjectDatabase.open(
            at: "players.bulla", key: key, models: Team.self, Player.self)

        try await database.write { transaction in
            let red = Team(name: "Red")
            try transaction.upsert(red)
            let number = (try transaction.max(\.number, of: Player.all) ?? 0) + 1
            try transaction.insert(
                Player(number: number, name: "Arthur", score: 100, team: Link(red)))
            try transaction.update(Player.where { $0.score < 1000 }) { $0.score += 10 }
        }
        try await database.read { snapshot in
            let best = Player.where { $0.score > 50 }
                .sorted(by: \.score, order: .descending).limit(10)
            for row in try snapshot.fetch(best, with: \.team) {
                print(row.base.name, row.base.score, row.target?.name ?? "-")  // Arthur 110 Red
            }
        }
        try sums(database)
        try pages(database)
        try await follow(database)
        try await database.store.close()
    }

    private func sums(_ database: ObjectDatabase) throws {
        let scores = try database.read { snapshot in
            try snapshot.fetch(Team.all).map { team in
                (team.name, try snapshot.sum(\.score, of: team.players.query))
            }
        }
        guard scores.first ?? ("", 0) == ("Red", 110) else {
            throw CocoaError(.coderInvalidValue)
        }
    }

    private func pages(_ database: ObjectDatabase) throws {
        try database.write { transaction in
            for number in 100..<130 {
                try transaction.insert(Player(number: number, name: "Gwen", score: number % 7))
            }
        }
        let snapshot = try database.makeSnapshot()
        let best = Player.all.sorted(by: \.score, order: .descending)
        let first = try snapshot.fetch(best.page(of: 20))
        let second = try snapshot.fetch(best.page(of: 20, after: first.last!))
        guard first.count == 20, second.count == 11 else { throw CocoaError(.coderInvalidValue) }
    }

    private func follow(_ database: ObjectDatabase) async throws {
        for try await count in database.counts(of: Player.where { $0.score > 100 }) {
            print(count)
            if count > 0 { break }
        }
    }
}
