import Bulla
import BullaRecords
import BullaTestSupport
import Synchronization
import Testing

@Suite("The schema of a place")
struct SchemaKeeperTests {
    @Test("grows by what is saved in development, also in another process")
    func growth() throws {
        let fixture = try CoreFixture()
        let other = try CoreFixture(sharing: fixture)
        let (one, two) = (try fixture.database(), try other.database())
        #expect(try one.save("a", ["n": .plain(.int64(1))]).code == nil)
        #expect(try two.save("b", ["n": .plain(.string("x"))]).code == .invalidArguments)
        #expect(try two.save("b", ["m": .sealed(.string("x"))]).code == nil)
        #expect(try one.save("c", ["m": .plain(.string("x"))]).code == .invalidArguments)
        #expect(try one.save("c", ["m": .sealed(.string("x"))]).code == nil)
    }

    @Test("takes one of two kinds that two processes give a field at once")
    func race() throws {
        let fixture = try CoreFixture()
        let views = try [fixture, CoreFixture(sharing: fixture)].map { try $0.database() }
        let values: [RecordValue] = [.int64(1), .string("x")]
        for round in 0..<20 {
            let refusals = Mutex<[RecordError.Code?]>([])
            let threads = views.indices.map { index in
                TestThread {
                    let result = try views[index].save(
                        "r\(round)-\(index)", ["f\(round)": .plain(values[index])])
                    refusals.withLock { $0.append(result.code) }
                }
            }
            for thread in threads { try thread.join() }
            #expect(refusals.withLock { Set($0) } == [nil, .invalidArguments])
        }
    }

    @Test("refuses in production what it does not have")
    func production() throws {
        let fixture = try CoreFixture(.production)
        let view = try fixture.database()
        #expect(try view.save("a", ["n": .plain(.int64(1))]).code == .invalidArguments)
    }

    @Test("is refused where a backend has changed it")
    func forged() throws {
        let fixture = try CoreFixture()
        _ = try fixture.database().save("a", ["n": .plain(.int64(1))])
        try fixture.store.write { change in
            let tree = try change.tree(named: "documents")
            for (key, value) in try change.entries(of: tree) {
                var value = value
                value[value.count - 1] ^= 1
                try change.put(value, forKey: key, in: tree)
            }
        }
        let other = try CoreFixture(sharing: fixture)
        let view = try other.core.database(.private, .account(other.account()))
        let error = #expect(throws: RecordError.self) { try view.save("b") }
        #expect(error?.code == .damaged)
    }

    @Test("grants in the public database: the world reads, users create, creators write")
    func roles() throws {
        let fixture = try CoreFixture()
        let zone = ZoneIdentifier.defaultName
        let creator = try fixture.core.database(.public, .account(fixture.account(1)))
        let other = try fixture.core.database(.public, .account(fixture.account(2)))
        let (nobody, server) = (
            try fixture.core.database(.public, .nobody), try fixture.core.database(.public, .server)
        )
        #expect(try creator.save("a", ["n": .plain(.int64(1))], in: zone).code == nil)
        #expect(try other.record("a", in: zone).value(of: "n") == .int64(1))
        #expect(try nobody.record("a", in: zone).value(of: "n") == .int64(1))
        #expect(try other.save("a", ["n": .plain(.int64(2))], in: zone).code == .permissionFailure)
        #expect(try other.delete("a", in: zone).code == .permissionFailure)
        #expect(throws: RecordError.self) { try nobody.save("b", in: zone) }
        #expect(try creator.save("a", ["n": .plain(.int64(3))], in: zone).code == nil)
        #expect(try server.save("a", ["n": .plain(.int64(4))], in: zone).code == nil)
        #expect(
            try creator.save("c", ["s": .sealed(.int64(1))], in: zone).code == .invalidArguments)
        #expect(throws: RecordError.self) { try creator.createZone("mine") }
        #expect(throws: RecordError.self) { try fixture.core.database(.private, .nobody) }
        #expect(throws: RecordError.self) { try fixture.core.database(.private, .server) }
    }
}
