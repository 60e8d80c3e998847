import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

/// Uses a tool to find what a secret still opens after a re-encryption has replaced it.
@Suite struct `A secret that was replaced` {
    private static let key = StoreKind.keyBytes

    /// A value that is recognized in a decrypted page, because it repeats itself.
    private static func value(_ number: Int, _ byteCount: Int) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(byteCount + 8)
        let mixed: UInt64 = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        let word: [UInt8] = (mixed | 1).bytes
        while value.count < byteCount { value += word }
        return Array(value.prefix(byteCount))
    }

    private static func fill(_ store: Store, _ tree: String, _ numbers: Range<Int>) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: tree)
            for number in numbers {
                let byteCount = number % 100 == 7 ? 40_000 : 60
                try change.put(value(number, byteCount), forKey: UInt64(number).bytes, in: tree)
            }
        }
    }

    /// A store whose file still holds whatever it can of the past: overwritten, freed and dropped
    /// pages of three key epochs, and, after the last page of the commit, pages of a change that
    /// was rolled back.
    private static func makeStore(_ files: TestStore) throws -> Store {
        let store = try files.open { options in
            options.pageByteCount = 4096
            options.dirtyByteLimit = 256 << 10
            // The log never moves, and large commits outgrow it.
            options.fixLog(halfByteCount: 64 << 10)
        }
        for round in 0..<3 {
            try fill(store, "kept", 0..<400)
            try fill(store, "dropped", 0..<300)
            for number in 0..<8 { try fill(store, "kept", number * 30..<number * 30 + 3 + round) }
            if round < 2 { try store.rotateDataKeys() }
        }
        try store.write { try $0.dropTree(named: "dropped") }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "large")
            try change.put(value(1, 300_000), forKey: "value", in: tree)
        }
        try store.write { change in
            try change.delete("value", in: try change.tree(named: "large"))
        }
        do {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "given up")
                for number in 0..<20 {
                    try change.put(value(number, 100_000), forKey: "\(number)", in: tree)
                }
                throw WorkerFailed()
            }
        } catch is WorkerFailed {}
        return store
    }

    @Test(arguments: StoreKind.encrypted)
    func `opens every page before, and nothing of the file afterwards`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let store = try Self.makeStore(files)
        let before = try files.scratch.bytes(TestStore.name)
        let former = try FormerSecret(before, userKey: Self.key)
        let used = former.usedPages(of: before)
        // The file has free pages, and pages after the last one that the commit names.
        let live = try store.info.livePageCount
        #expect(used.count > live + 100)
        #expect(used.contains { $0 >= Int(former.record.pageCount) })
        let commits = 0...former.record.commit + 2
        let found = try former.findings(in: before, commits: commits)
        #expect(found.opened == used)
        #expect(found.read == used)
        #expect(found.authentic == [4096, 8192, 36864, 40960])
        #expect(found.handovers == [])

        try reencrypt(store, files)
        let later = 0...(try store.info.commit) + 2
        for isClosed in [false, true] {
            if isClosed { try store.close() }
            let after = try files.scratch.bytes(TestStore.name)
            #expect(try former.findings(in: after, commits: later) == .none)
            #expect(FormerSecret.keptBlocks(of: before, in: after) == [])
            print(
                "former secret: \(kind.rawValue), \(used.count) pages before, \(live) of them "
                    + "alive, \(former.usedPages(of: after).count) after; \(later.count) births")
        }
        try expectToolStillFinds(former, before, try files.scratch.bytes(TestStore.name), later)
        let again = try files.open()
        try files.expectSound(again)
        try again.close()
    }

    /// Re-encrypts the store while another process holds a snapshot; the re-encryption must wait
    /// until the snapshot ends.
    private func reencrypt(_ store: Store, _ files: TestStore) throws {
        let holder = try files.worker("hold", "tree=kept")
        let process = try #require(try holder.values()["process"])
        var waits = 0
        try store.reencrypt(keys: [try StoreKey(Self.key)]) { progress in
            switch progress {
            case .waiting(let snapshots, let processes, _) where snapshots > 0:
                #expect(snapshots == 1 && processes == [Int(process)])
                waits += 1
                if waits == 3 { holder.child.closeInput() }
            case .erasing: #expect(waits >= 3)
            default: break
            }
        }
        #expect(waits >= 3)
        _ = try holder.stop()
    }

    /// Restores one overwritten page, and expects that the tool, which has just found nothing,
    /// finds it.
    private func expectToolStillFinds(
        _ former: FormerSecret, _ before: [UInt8], _ after: [UInt8], _ commits: ClosedRange<UInt64>
    ) throws {
        let page = try #require(
            former.usedPages(of: before).filter { ($0 + 2) * 4096 <= after.count }.max())
        let bytes = before[page * 4096..<(page + 1) * 4096]
        var image = after
        image.replaceSubrange(page * 4096..<(page + 1) * 4096, with: bytes)
        var found = FormerSecret.Findings()
        (found.opened, found.read) = ([page], [page])
        #expect(try former.findings(in: image, commits: commits) == found)
        // In the place of another page, the restored page does not open, but its content can still
        // be read.
        image = after
        image.replaceSubrange((page + 1) * 4096..<(page + 2) * 4096, with: bytes)
        (found.opened, found.read) = ([], [page + 1])
        #expect(try former.findings(in: image, commits: commits) == found)
    }

    @Test(arguments: StoreKind.encrypted)
    func `gives the new one away until the end, and not after it`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let store = try Self.makeStore(files)
        let before = try files.scratch.bytes(TestStore.name)
        let former = try FormerSecret(before, userKey: Self.key)
        let key = try StoreKey(Self.key)
        let stop = #expect(throws: BullaError.self) {
            try store.reencrypt(keys: [key]) { _ throws(BullaError) in
                throw BullaError(.cancelled, "stop here")
            }
        }
        #expect(stop?.code == .cancelled && store.isReencrypting)
        let found = try former.findings(
            in: try files.scratch.bytes(TestStore.name), commits: nil)
        #expect(found.handovers == [4096, 36864])
        try store.resumeReencryption()
        let after = try files.scratch.bytes(TestStore.name)
        #expect(try former.findings(in: after, commits: nil) == .none)
        try store.close()
    }
}
