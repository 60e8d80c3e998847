import Bulla
import BullaTestSupport

/// Changes the ways into a store, and the secrets behind them, until its input ends or it is
/// killed.
///
/// A ledger records each change and its outcome. The first way always stays, because writers and
/// readers open the store with it.
struct LocksmithJob {
    private let command: WorkerCommand
    private let storage: any StorageSystem
    private let ledgerPath: String
    private let stop = InputEnd()
    private var ledger: KeyLedger
    private var keys = KeyRing()
    private var random: TestRandom
    /// Whether every verb is a re-encryption, which has the most steps.
    private var onlyReencrypts: Bool

    private static let wayLimit = 5

    init(_ command: WorkerCommand) throws {
        self.command = command
        storage =
            command.text("kill").flatMap { KillPoint($0) }.map { KillingStorage($0) }
            ?? SystemStorage()
        ledgerPath = command.text("ledger") ?? ""
        ledger = try KeyLedger(readingFrom: ledgerPath)
        random = TestRandom(seed: command.number("seed"))
        onlyReencrypts = command.number("reencrypt") == 1
    }

    mutating func run() throws {
        while !stop.hasCome {
            let store = try open()
            try settle(store)
            for _ in 0..<1 + random.below(5) where !stop.hasCome { try change(store) }
            try store.close()
        }
    }

    private mutating func open() throws -> Store {
        for way in (ledger.certain + ledger.doubtful).shuffled(using: &random) {
            do {
                return try command.openStore(try keys.key(of: way), storage: storage)
            } catch let error as BullaError {
                let isRefused = [.wrongKey, .keySlotNotFound].contains(error.code)
                guard isRefused && ledger.doubtful.contains(way) else { throw error }
            }
        }
        throw WorkerFailure.impossible("neither way opens it: \(ledger.doubtful)")
    }

    /// Makes a change of its own, which finishes what a killed process may have begun, and records
    /// the outcome.
    private mutating func settle(_ store: Store) throws {
        guard ledger.pending != nil else { return }
        try store.changeSlot(1, to: try keys.key(of: .first), label: KeyWay.first.label)
        try end(store, "settle")
    }

    private mutating func begin(_ change: KeyLedger.Change) throws {
        ledger.begin(change)
        try ledger.write(to: ledgerPath)
    }

    /// Records that a verb has finished, and which ways now open the store.
    private mutating func end(_ store: Store, _ verb: String) throws {
        let numbers = try store.keySlots().map(\.number)
        try ledger.settle(numbers) { way in
            try Store.verifyKey(try keys.key(of: way), at: store.path)
        }
        ledger.note(verb)
        try ledger.write(to: ledgerPath)
    }
}

extension LocksmithJob {
    /// Runs a random verb.
    private mutating func change(_ store: Store) throws {
        if onlyReencrypts { return try reencrypt(store) }
        let others = ledger.slots.keys.filter { $0 != 1 }.sorted()
        switch random.below(12) {
        case 0...2: try changeKey(store)
        case 3, 4: if others.count < Self.wayLimit { try addSlot(store) }
        case 5, 6: if !others.isEmpty { try changeSlot(store, random.pick(others)) }
        case 7: if others.count > 1 { try removeSlot(store, random.pick(others)) }
        case 8, 9:
            try store.rotateDataKeys()
            try end(store, "rotate")
        default: try reencrypt(store)
        }
    }

    private mutating func changeKey(_ store: Store) throws {
        guard let slot = store.openedSlot, slot != 1, ledger.slots[slot] != nil else { return }
        let way = ledger.nextWay(isKey: true)
        try begin(.replace(slot: slot, by: way))
        try store.changeKey(to: try keys.key(of: way))
        try end(store, "changeKey")
    }

    private mutating func addSlot(_ store: Store) throws {
        let way = ledger.nextWay()
        try begin(.add(way))
        try store.addSlot(for: try keys.key(of: way), label: way.label)
        try end(store, "addSlot")
    }

    private mutating func changeSlot(_ store: Store, _ slot: Int) throws {
        let way = ledger.nextWay()
        try begin(.replace(slot: slot, by: way))
        try store.changeSlot(slot, to: try keys.key(of: way), label: way.label)
        try end(store, "changeSlot")
    }

    private mutating func removeSlot(_ store: Store, _ slot: Int) throws {
        try begin(.remove(slot: slot))
        try store.removeSlot(slot)
        try end(store, "removeSlot")
    }

    /// Begins a re-encryption, or continues one that was interrupted.
    private mutating func reencrypt(_ store: Store) throws {
        let stop = stop
        let report: (ReencryptionProgress) throws(BullaError) -> Void = { _ throws(BullaError) in
            if stop.hasCome { throw BullaError(.cancelled, "re-encrypt: the worker is to stop") }
        }
        let isDone: Bool
        let verb: String
        if store.isReencrypting {
            verb = "resume"
            isDone = try finishes { () throws(BullaError) in
                try store.resumeReencryption(progress: report)
            }
        } else {
            verb = "reencrypt"
            let kept = ledger.slots.filter { slot, _ in slot == 1 || random.below(4) > 0 }
            try begin(.reencrypt(dropping: ledger.slots.keys.filter { kept[$0] == nil }))
            let ways = try kept.values.map { try keys.key(of: $0) }
            isDone = try finishes { () throws(BullaError) in
                try store.reencrypt(keys: ways, droppingOtherSlots: true, progress: report)
            }
        }
        try end(store, isDone ? verb : "stopped")
    }

    /// Runs a re-encryption; returns whether it came to its end, or `false` if it was stopped.
    private func finishes(
        _ reencrypt: () throws(BullaError) -> Void
    ) throws(BullaError) -> Bool {
        do throws(BullaError) { try reencrypt() } catch {
            guard error.code == .cancelled else { throw error }
            return false
        }
        return true
    }
}
