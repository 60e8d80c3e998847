import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// The expected content of a version of a memtable: trees, and in each of them keys with a value,
/// or without one for a tombstone.
struct MemtableModel {
    var trees: [UInt64: [[UInt8]: [UInt8]?]] = [:]

    mutating func put(_ tree: UInt64, _ key: [UInt8], _ value: [UInt8]?) {
        trees[tree, default: [:]].updateValue(value, forKey: key)
    }

    /// Checks everything in a view: every key, each tree in both directions, and its structure.
    func check(_ view: MemtableView) -> Int {
        for (tree, entries) in trees {
            let sorted = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            checkLookups(view, tree, sorted)
            checkWalks(view, tree, sorted)
            checkSeeks(view, tree, sorted.map(\.key))
        }
        #expect(view.isEmpty == trees.isEmpty)
        return view.checkInvariants()
    }

    typealias Entries = [(key: [UInt8], value: [UInt8]?)]

    private func checkLookups(_ view: MemtableView, _ tree: UInt64, _ entries: Entries) {
        var wrongCount = 0
        for entry in entries {
            entry.key.withView { key in
                let key = MemtableKey(tree: tree, key)
                if !view.mayHold(key) || !Self.says(view.change(of: key), entry.value) {
                    wrongCount += 1
                }
            }
            // A key that no tree has, next to an existing one.
            (entry.key + [0x2A, 0x2A]).withView { key in
                if view.change(of: MemtableKey(tree: tree, key)) != nil { wrongCount += 1 }
            }
        }
        #expect(wrongCount == 0 && view.holds(tree: tree))
    }

    static func says(_ change: MemtableChange?, _ value: [UInt8]?) -> Bool {
        switch (change, value) {
        case (.put(let bytes)?, let value?): bytes.copied() == value
        case (.tombstone?, nil): true
        default: false
        }
    }

    private func checkWalks(_ view: MemtableView, _ tree: UInt64, _ entries: Entries) {
        var cursor = view.cursor(tree: tree)
        var wrongCount = 0
        var isOn = cursor.moveToFirst()
        for entry in entries {
            if !isOn || !Self.stands(cursor, on: entry) { wrongCount += 1 }
            isOn = cursor.moveToNext()
        }
        let isBack = cursor.moveToNext()
        #expect(!isOn && !cursor.isOnEntry && !isBack)
        isOn = cursor.moveToLast()
        for entry in entries.reversed() {
            if !isOn || !Self.stands(cursor, on: entry) { wrongCount += 1 }
            isOn = cursor.moveToPrevious()
        }
        #expect(!isOn && !cursor.isOnEntry && wrongCount == 0)
    }

    private static func stands(
        _ cursor: MemtableCursor, on entry: (key: [UInt8], value: [UInt8]?)
    ) -> Bool {
        cursor.key.copied() == entry.key && says(cursor.change, entry.value)
    }

    private func checkSeeks(_ view: MemtableView, _ tree: UInt64, _ keys: [[UInt8]]) {
        var cursor = view.cursor(tree: tree)
        var wrongCount = 0
        for index in stride(from: 0, to: keys.count, by: max(1, keys.count / 50)) {
            let key = keys[index]
            let next = index + 1 < keys.count ? keys[index + 1] : nil
            let former = index > 0 ? keys[index - 1] : nil
            let above = key + [0]
            let isNextAbove = next == above
            func expect(_ isOn: Bool, _ wanted: [UInt8]?) {
                if isOn != (wanted != nil) || isOn && cursor.key.copied() != wanted {
                    wrongCount += 1
                }
            }
            expect(key.withView { cursor.seek(notBelow: $0) }, key)
            expect(cursor.moveToPrevious(), former)
            expect(key.withView { cursor.seek(notAbove: $0) }, key)
            expect(cursor.moveToNext(), next)
            expect(above.withView { cursor.seek(notBelow: $0) }, next)
            expect(above.withView { cursor.seek(notAbove: $0) }, isNextAbove ? above : key)
            if let last = key.last, last > 0 {
                let below = Array(key.dropLast()) + [last - 1, 0xFF, 0xFF, 0xFF]
                expect(below.withView { cursor.seek(notBelow: $0) }, Self.first(keys, below))
            }
        }
        #expect(wrongCount == 0)
    }

    /// The first of the keys that is not below `bound`.
    private static func first(_ keys: [[UInt8]], _ bound: [UInt8]) -> [UInt8]? {
        keys.first { !$0.lexicographicallyPrecedes(bound) }
    }
}

extension MemtableEdit {
    /// Puts an array's bytes; `nil` for a tombstone.
    mutating func put(_ tree: UInt64, _ key: [UInt8], _ value: [UInt8]?) throws {
        try key.withView { key in
            let key = MemtableKey(tree: tree, key)
            guard let value else { return try put(key, nil) }
            try value.withView { try put(key, $0) }
        }
    }

    /// Gives a tree a name, as the log does; `nil` removes the name.
    mutating func putName(_ name: String, _ number: UInt64?) throws {
        try put(0, [1] + name.utf8, number.map { TreeRootLayout.bytes(.empty(number: $0)) })
    }
}

/// A held version, and what it must contain as long as it is held.
final class HeldModel {
    private let held: HeldVersion
    let model: MemtableModel

    struct LetGo: Error {}

    /// - Throws: ``LetGo`` if the version cannot be held any more.
    init(_ table: Memtable, _ version: MemtableVersion, _ model: MemtableModel = .init()) throws {
        guard let held = try table.hold(version) else { throw LetGo() }
        self.held = held
        self.model = model
    }

    /// Lends the version's content.
    func read<R>(_ body: (MemtableView) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(held.view) }
    }

    /// Checks the version, and returns how many pages it sees.
    func check() -> Int { read { model.check($0) } }
}
