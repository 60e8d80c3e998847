import Bulla

/// The samples of `ComingFromLMDB.md`, in its order.
struct LMDBPage {
    static let source = #filePath
    let key: StoreKey

    init() throws { key = try StoreKey.random() }

    func run() async throws {
        try await inFolder("What is different") { try duplicates() }
        try await inFolder("The same program") { try program() }
    }

    private func duplicates() throws {
        let store = try Store.open(at: "notes.bulla", key: key)
        let clay: [UInt8] = Array("clay".utf8) + [0]
        try store.write { change in
            let tags = try change.openOrCreateTree(named: "tags")
            try change.put("", forKey: clay + Array("note 1".utf8), in: tags)
            try change.put("", forKey: clay + Array("note 2".utf8), in: tags)
        }
        try store.read { snapshot in
            try snapshot.scan(snapshot.tree(named: "tags"), .prefix(clay)) { key, _ in
                let note = [UInt8](copying: key).dropFirst(clay.count)
                print(String(decoding: note, as: UTF8.self))
                return .next
            }
        }
        try store.close()
    }

    private func program() throws {
        let store = try Store.open(at: "notes.bulla", key: key)

        try store.write { change in
            let notes = try change.openOrCreateTree(named: "notes")
            try change.put("12 clay tablets", forKey: "note 1", in: notes)
        }

        let snapshot = try store.makeSnapshot()
        let notes = try snapshot.tree(named: "notes")
        _ = try snapshot.withValue(forKey: "note 1", in: notes) { value in
            print(String(decoding: value))
        }
        var cursor = try snapshot.makeCursor(in: notes)
        var isFound = try cursor.seek(to: "note 1")
        while isFound {
            try cursor.withKey { key in print(String(decoding: key)) }
            isFound = try cursor.moveToNext()
        }
        try store.close()
    }
}
