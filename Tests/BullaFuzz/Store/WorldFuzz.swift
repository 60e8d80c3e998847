internal import Bulla

/// A store that several processes have open while another overwrites the coordination file.
///
/// The overwriting can cause errors, but never wrong data, and acknowledged commits are still there
/// afterwards.
enum WorldFuzz {
    private static let sound: [UInt8] = {
        let path = FuzzFile.path("store")
        attempt {
            let store = try open(path)
            for round in 0..<3 {
                try store.write { change in
                    let tree =
                        try round == 0
                        ? change.openOrCreateTree(named: "t") : change.tree(named: "t")
                    for number in 0..<40 {
                        try change.put(value(0), forKey: "key \(number)", in: tree)
                    }
                }
            }
            try store.close()
        }
        return FuzzFile.read(path, byteCount: 1 << 22)
    }()

    /// The first byte is the number of writes before the first scribble; the rest are scribbles,
    /// each with an offset of two bytes, a length, and bytes.
    static func run(_ input: FuzzInput) {
        let path = FuzzFile.path("store")
        let sound = sound
        FuzzFile.remove(path + ".bulla-world")
        precondition(FuzzFile.write(sound, to: path), "the store can be written")
        var run = WorldRun(path: path, input: input)
        attempt { try run.run() }
        // A process that opens the store alone makes the coordination file anew, and must find
        // every acknowledged commit.
        do {
            let store = try open(path)
            let found = try number(store)
            precondition(
                run.acknowledged...run.attempted ~= found, "what was acknowledged is there")
            try store.close()
        } catch { preconditionFailure("a store opens after its coordination file was changed") }
    }

    static func open(_ path: String) throws -> Store {
        try Store.open(
            at: path, key: StoreKey([UInt8](repeating: 9, count: 64)), options: StoreVerbs.options)
    }

    static func value(_ number: Int) -> [UInt8] { Array("value \(number)".utf8) }

    /// The commit whose value all keys of the store have.
    static func number(_ store: Store) throws -> Int {
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            var found: Set<[UInt8]> = []
            for number in stride(from: 0, to: 40, by: 13) {
                if let value = try snapshot.value(forKey: "key \(number)", in: tree) {
                    found.insert(value)
                }
            }
            return try checked(found)
        }
    }

    private static func checked(_ found: Set<[UInt8]>) throws -> Int {
        let known = (0..<200).first { found == [value($0)] }
        guard let known else { preconditionFailure("a snapshot holds the values of one commit") }
        return known
    }

    static func attempt(_ body: () throws -> Void) {
        do { try body() } catch {
            precondition(error is BullaError, "what fails is the store's own error")
        }
    }

    static var seeds: [[UInt8]] {
        // Overwrite each word of the layout with a few values.
        let offsets = [
            80, 192, 256, 320, 336, 384, 448, 576, 768, 832, 896, 960, 1024, 1536, 2048, 2560, 4096,
            4160,
        ]
        return offsets.flatMap { offset in
            [[0, 0, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0, 0, 0], [255, 255, 255, 255]].map {
                [1, UInt8(offset & 255), UInt8(offset >> 8), UInt8($0.count - 1)] + $0
            }
        }
    }
}

/// One store, opened twice, with scribbles in between.
private struct WorldRun {
    let path: String
    var input: FuzzInput
    /// The newest value that was acknowledged as durable, and the newest that a write tried to
    /// store.
    var acknowledged = 0
    var attempted = 0

    init(path: String, input: FuzzInput) {
        self.path = path
        self.input = input
    }

    mutating func run() throws {
        let writes = Int(input.byte() % 4)
        let first = try WorldFuzz.open(path)
        let held = try first.makeSnapshot()
        for _ in 0..<writes { write(first) }
        for _ in 0..<4 where !input.isEmpty {
            scribble()
            WorldFuzz.attempt { try look(first) }
            WorldFuzz.attempt {
                let second = try WorldFuzz.open(path)
                WorldFuzz.attempt { try look(second) }
                write(second)
                write(first)
                WorldFuzz.attempt { try second.close() }
            }
        }
        WorldFuzz.attempt {
            let tree = try held.tree(named: "t")
            let value = try held.value(forKey: "key 0", in: tree)
            precondition(value == WorldFuzz.value(0), "a snapshot reads what it read before")
        }
        end(held)
        WorldFuzz.attempt { try first.close() }
    }

    private func end(_ snapshot: consuming Snapshot) {}

    /// Checks that a snapshot sees a commit not older than the last acknowledged one.
    private func look(_ store: Store) throws {
        let found = try WorldFuzz.number(store)
        precondition(
            acknowledged...attempted ~= found, "a snapshot sees what was acknowledged before it")
    }

    /// Overwrites a part of the file, but not the fields that only its maker writes: if the name of
    /// the world were wrong, other processes would wait.
    private mutating func scribble() {
        let offset = 80 + max(0, input.word() - 80) % 8000
        let bytes = input.take(1 + Int(input.byte() % 64))
        FuzzFile.scribble(bytes, at: offset, in: path + ".bulla-world")
    }

    private mutating func write(_ store: Store) {
        attempted += 1
        let number = attempted
        var isDone = false
        WorldFuzz.attempt {
            try store.write { change in
                let tree = try change.tree(named: "t")
                for key in 0..<40 {
                    try change.put(WorldFuzz.value(number), forKey: "key \(key)", in: tree)
                }
            }
            isDone = true
        }
        if isDone { acknowledged = number }
    }
}
