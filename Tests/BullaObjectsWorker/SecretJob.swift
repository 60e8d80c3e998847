import Bulla
import BullaObjects
package import BullaTestSupport

/// Seals and opens secrets of objects in every way there is, and then stays alive with all objects
/// that it has read, so that its memory can be searched.
///
/// With `plant`, one secret has a copy on the heap.
struct SecretJob {
    private let seed: Int
    private let database: ObjectDatabase
    private let planted: [UInt8]

    init(_ command: ObjectsCommand) throws {
        seed = command.int("seed")
        planted = command.int("plant") == 1 ? SecretCanary.changed.canary(seed).array() : []
        database = try ObjectDatabase(command.open(), models: [Vaulted.self])
        try database.createVault(named: "secrets", keys: [.random()])
    }

    private struct GivenUp: Error {}

    func run() throws {
        try write()
        let (objects, former) = try read()
        Canary.overwriteRegisters()
        Canary.overwriteStack()
        Line.say("ready")
        Line.awaitEnd()
        try withExtendedLifetime((objects, former, planted)) { try database.store.close() }
    }

    private func secret(_ canary: SecretCanary) throws -> Secret {
        try canary.canary(seed).withBytes { bytes in try Secret(bytes) }
    }

    private func write() throws {
        try database.write { transaction in
            try transaction.insert(Vaulted(1, try secret(.inserted)))
            try transaction.insert(Vaulted(2, try secret(.kept)))
        }
        let changed = try secret(.changed)
        try database.write { try $0.update(Vaulted.self, key: 1) { $0.secret.change(to: changed) } }
        // Upsert an equal value; for this, the stored value is opened and compared with the new
        // one.
        try database.write { try $0.upsert(Vaulted(2, try secret(.kept))) }
        do {
            try database.write { transaction in
                try transaction.insert(Vaulted(3, try secret(.givenUp)))
                throw GivenUp()
            }
        } catch is GivenUp {}
    }

    private func read() throws -> ([Vaulted], [Sealed<Secret>]) {
        let snapshot = try database.makeSnapshot()
        let objects = try snapshot.openAll(Vaulted.all).objects
        let former = try snapshot.history(Vaulted.self, key: 1, of: \.secret)
        guard objects.count == 2, former.count == 1 else {
            throw WorkerFailure.impossible("there are \(objects.count) objects")
        }
        for sealed in objects.map(\.secret) + former {
            let byteCount = try sealed.withCleartext { $0.byteCount }
            guard byteCount == Canary.byteCount else {
                throw WorkerFailure.impossible("a secret of \(byteCount) bytes was never sealed")
            }
            do {
                try sealed.withCleartext { _ in throw GivenUp() }
            } catch is GivenUp {}
        }
        return (objects, former)
    }
}

/// The secrets of the job.
package enum SecretCanary: Int, CaseIterable, Sendable {
    case inserted, changed, kept, givenUp

    package func canary(_ seed: Int) -> Canary { Canary(seed: seed * 100 + rawValue) }
}

/// An object with a secret.
struct Vaulted: SealedModel {
    var id: Int
    var note = "note"
    var secret: Sealed<Secret>

    struct Columns: Sendable {
        let id = Column<Vaulted, Int>(0)
        let secret = SealedColumn<Vaulted, Secret>(sealed: 1)
    }

    static let columns = Columns()
    static let modelName = "Vaulted"
    static let modelDefinition = ModelDefinition(
        modelName, properties: [PropertyDefinition("id", Int.self)],
        sealed: [
            PropertyDefinition("note", String.self),
            PropertyDefinition("secret", Sealed<Secret>.self, sealedIn: "secrets", history: 3),
        ], in: "secrets", key: [0])

    var modelKey: ModelKey<Int> { ModelKey(id) }

    init(_ id: Int, _ secret: Secret) { (self.id, self.secret) = (id, Sealed(secret)) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        id = try stored.read(at: 0)
        note = try stored.readSealed(at: 0)
        secret = try stored.readSealed(at: 1)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(id, at: 0)
        try draft.writeSealed(note, at: 0)
        try draft.writeSealed(secret, at: 1)
    }
}
