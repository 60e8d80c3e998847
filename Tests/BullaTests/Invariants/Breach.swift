#if BULLA_CHECKS
import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport

/// Things that the engine never does, one for each kind of invariant that it must keep.
enum Breach: String, CaseIterable, Codable, Sendable {
    case metaWithoutLock, lockOfNobody, slotInUse, oldFlush, formerDurable, secondCommit
    case commitBackwards, longFrame, runOfTwoChunks, wrongPlace, overlappingCells, fallingKeys
    case claimInEpoch

    /// What the process says when it finds the breach.
    var sentence: String {
        switch self {
        case .metaWithoutLock: "a meta slot is written under the flush lock"
        case .lockOfNobody: "a lock is given up by its holder, and once"
        case .slotInUse: "the slot that was flushed last is never written"
        case .oldFlush: "a flush number only grows"
        case .formerDurable: "what was durable stays durable"
        case .secondCommit: "a turn makes one commit"
        case .commitBackwards: "commits go forwards in a half"
        case .longFrame: "a frame gets as many bytes as it has"
        case .runOfTwoChunks: "a run that is marked lies in one chunk"
        case .wrongPlace: "no key from the place on is smaller"
        case .overlappingCells: "cells are disjoint and add up after each edit"
        case .fallingKeys: "entries are added in the order of their keys"
        case .claimInEpoch: "a frame is claimed outside any epoch"
        }
    }

    /// - Parameter path: a path at which there is no file yet.
    func run(_ path: String) throws {
        switch self {
        case .metaWithoutLock: try Self.open(path).core.metaWriter.postUnderLock(Self.record)
        case .lockOfNobody: try Self.open(path).core.trees.unlock()
        case .slotInUse: Self.record.checkSuccession(to: Self.record)
        case .oldFlush:
            var record = Self.record
            record.metaSlot = 1
            record.checkSuccession(to: Self.record)
        case .formerDurable:
            let former = DurableRecord(.beginning(after: 5), keyEpoch: 1)
            _ = DurableRecord(.beginning(after: 3), after: former, keyEpoch: 1)
        case .secondCommit:
            let turn = try LogMember(alone: path).log.beginCommit()
            for _ in 0..<2 { _ = try turn.commit() }
        case .commitBackwards: try Self.commitBackwards(path)
        case .longFrame: try Self.sealLongFrame()
        case .runOfTwoChunks:
            var map = [UInt8](repeating: 0, count: FreeMap.byteCount)
            _ = FreeMap.mark(&map, PageRun(start: 4090, count: 10), isFree: true)
        case .wrongPlace: try Self.searchWrongPlace()
        case .overlappingCells: try Self.overlapCells()
        case .fallingKeys: try Self.mergeFallingKeys(path)
        case .claimInEpoch: try Self.claimInEpoch(path)
        }
    }

    private static let record = CommitRecord(history: Identifier(high: 1, low: 2))

    private static func open(_ path: String) throws -> Store { try StoreKind.gcm.open(path) }
}

extension Breach {
    /// Publishes a commit that ends where the one before it does.
    private static func commitBackwards(_ path: String) throws {
        let member = try LogMember(alone: path)
        var end = try member.commit { edit, _ in try edit.put([1], forKey: [2], in: 4) }
        end.commit += 1
        let edit = try member.memtables.edit()
        let draft = try LogDraft()
        member.memtables.publish(edit, draft, at: end)
    }

    private static func sealLongFrame() throws {
        let log = try LogFixture(.aes256GCM)
        var builder = try FrameBuilder()
        let count = builder.frameByteCount + 1
        _ = try builder.seal(
            as: .ordinary, commit: 2, durable: 1, at: LogPlace(sequence: 4, offset: 8192),
            after: log.previous, with: log.cipher, into: log.half.bytes.slice(0, count))
    }

    private static func searchWrongPlace() throws {
        let buffer = try ScratchBuffer(byteCount: 4096)
        defer { withExtendedLifetime(buffer) {} }
        let editor = leaf(in: buffer, ["a key", "c key"], valueByteCount: 0)
        editor.page.checkSearch(view("b key"), 1, false)
        editor.page.checkSearch(view("b key"), 0, false)
    }

    /// Makes two cells of a leaf lie in the same place, and then adds a cell for which others have
    /// to be moved.
    private static func overlapCells() throws {
        let buffer = try ScratchBuffer(byteCount: 4096)
        defer { withExtendedLifetime(buffer) {} }
        let editor = leaf(in: buffer, ["a key", "b key", "c key"], valueByteCount: 1000)
        editor.removeCell(1)
        // The places of the two words in which the page says where the remaining cells begin.
        let (first, second) = (20, 28)
        buffer.bytes.store(buffer.bytes.view.load(UInt16.self, at: second), at: first)
        let value = buffer.bytes.view.slice(0, 1010)
        editor.insertLeafCell(2, key: view("d key"), word: 1010, payload: value)
    }

    private static func leaf(
        in buffer: ScratchBuffer, _ keys: [StaticString], valueByteCount: Int
    ) -> TreePageEditor {
        let editor = TreePageEditor(buffer.bytes.slice(0, 4064), .leaf)
        editor.clear(level: 0)
        for (index, key) in keys.enumerated() {
            editor.insertLeafCell(
                index, key: view(key), word: UInt32(valueByteCount),
                payload: buffer.bytes.view.slice(0, valueByteCount))
        }
        return editor
    }

    private static func view(_ text: StaticString) -> ByteView { text.lasting }

    private static func mergeFallingKeys(_ path: String) throws {
        try open(path).write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.merge(FallingChanges(), into: tree)
        }
    }

    /// Changes pages inside an operation; if frames ran short, that operation would wait for
    /// itself.
    private static func claimInEpoch(_ path: String) throws {
        try open(path).write { change in
            let tree = try change.openOrCreateTree(named: "t")
            Epoch.enter()
            try change.put([UInt8](repeating: 1, count: 1 << 20), forKey: "k", in: tree)
        }
    }
}

/// Two keys in the wrong order.
private struct FallingChanges: SortedChanges {
    private var rest: [StaticString] = ["the second", "the first"]

    var isOnEntry: Bool { !rest.isEmpty }
    var key: ByteView { rest[0].lasting }
    var change: MemtableChange? { isOnEntry ? .put(rest[0].lasting) : nil }

    @discardableResult
    mutating func moveToNext() -> Bool {
        rest.removeFirst()
        return isOnEntry
    }
}
#endif
