import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Followers of a shared record who come late")
struct LateFollowerTests {
    private let fixture: CoreFixture
    private let owner: DatabaseView
    private let other: DatabaseView

    init() throws {
        fixture = try CoreFixture()
        let token: String
        (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        other = try fixture.accept(token, 2)
    }

    @Test("are told of every record that has left, in pages of any size", arguments: 1...5)
    func pages(limit: Int) throws {
        var follower = try Follower(other)
        #expect(try owner.move("a", below: nil).code == nil)
        // Both change again, so a page can end after the change by which "a" left, but before the
        // place where "a" is in the feed now.
        #expect(try owner.put("b", "secret").code == nil)
        #expect(try owner.put("root", "next").code == nil)
        #expect(try owner.put("a", "secret").code == nil)
        try follower.follow(limit: limit)
        #expect(follower.names == ["root", "share"] && follower.deleted == ["a", "b"])
        #expect(try follower.records["root"]?.value(of: "s") == .string("next"))
        // Now the follower knows that they have left.
        #expect(try owner.put("b", "more").code == nil)
        try follower.follow(limit: limit)
        #expect(follower.deleted.isEmpty)
    }

    @Test("are told of a record that leaves while they begin")
    func beginning() throws {
        var follower = Follower(beginning: other)
        while follower.records["a"] == nil { try #require(try follower.turn(limit: 1)) }
        #expect(try owner.move("a", below: nil).code == nil)
        #expect(try owner.put("root", "next").code == nil)
        #expect(try owner.put("a", "secret").code == nil)
        while try follower.turn(limit: 1) {}
        #expect(follower.names == ["root", "share"] && follower.deleted.contains("a"))
        #expect(try follower.records["root"]?.value(of: "s") == .string("next"))
    }

    @Test("are told of a branch that leaves, returns and leaves again between their pages")
    func returning() throws {
        var follower = try Follower(other)
        #expect(try owner.put("root", "next").code == nil)
        #expect(try owner.move("other", below: "root").code == nil)
        #expect(try follower.turn(limit: 1))
        for parent in [nil, "b", nil] {
            #expect(try owner.move("other", below: parent).code == nil)
            #expect(try owner.put("root", "next").code == nil)
            _ = try follower.turn(limit: 1)
        }
        #expect(try owner.put("c", "secret").code == nil)
        while try follower.turn(limit: 1) {}
        #expect(follower.names == ["root", "a", "b", "share"])
    }

    @Test("are told nothing of what had left, or was deleted, before they began")
    func newcomer() throws {
        _ = try owner.put("d", "v", below: "root").record
        #expect(try owner.move("a", below: nil).code == nil)
        #expect(try owner.delete("d").code == nil)
        #expect(try owner.put("a", "secret").code == nil)
        var follower = Follower(beginning: other)
        while try follower.turn(limit: 1) {}
        #expect(follower.names == ["root", "share"] && follower.deleted.isEmpty)
        // A newcomer can say that it may already have records of the zone. Then it is told what has
        // left, and what was deleted.
        var token: [UInt8]?
        var (told, hasMore): (Set<String>, Bool) = ([], true)
        while hasMore {
            let page = try other.changes(
                in: CoreFixture.zone, since: token, limit: 1, hasRecords: true)
            told.formUnion(page.deleted.map(\.name))
            (token, hasMore) = (page.token, page.hasMore)
        }
        #expect(told == ["a", "b", "d"])
    }

    @Test("are told the type of the record that they had, whatever has its name now")
    func types() throws {
        let start = try Follower(other)
        func told() throws -> String? {
            var late = start
            try late.follow(limit: 1)
            #expect(late.names == ["root", "a", "share"])
            return late.deletedTypes["b"]
        }
        #expect(try owner.delete("b").code == nil)
        #expect(try told() == "Note")
        for type in ["Diary", "Letter", "Note"] {
            #expect(try owner.save("b", type: type).code == nil)
            #expect(try told() == "Note")
            #expect(try owner.save("b", ["n": .plain(.int64(2))], type: type).code == nil)
            #expect(try told() == "Note")
            #expect(try owner.delete("b").code == nil)
            #expect(try told() == "Note")
        }
    }

    @Test("are told of a zone in which they see more, though no record in it has changed")
    func gain() throws {
        let account = try CoreFixture.identifier(2)
        _ = try owner.share("second", of: "other", with: [2: .readOnly]).record
        let base = try fixture.core.database(.shared, .account(fixture.account(2)))
        let start = try base.databaseChanges()
        // As if a process had ended after changing the head, and before changing the share's
        // record.
        try fixture.forge { keyring in
            for share in keyring.shares.keys {
                keyring.shares[share]?.members.participants[account]?.acceptance = .accepted
            }
        }
        let next = try base.databaseChanges(since: start.token)
        #expect(next.changed.map(\.name) == ["notes"] && next.gone.isEmpty)
        #expect(try base.databaseChanges(since: next.token).changed.isEmpty)
    }
}
