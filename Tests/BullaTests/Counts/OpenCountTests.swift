import Bulla
import BullaTestSupport
import Testing

/// What opening and closing a store cost in calls to files: the same on every machine, and for
/// large and small stores.
@Suite struct `The cost of opening` {
    /// Under the lock each copy of the keyring is read again: the key may have been changed.
    private static func keyringReads(_ kind: StoreKind) -> Int { kind == .plain ? 0 : 2 }
    private static let openingReads = 17
    private static let closingReads = 7
    private static let joiningReads = 16
    /// A lock tells which secret this process knows.
    private static func secretLocks(_ kind: StoreKind) -> Int { kind == .plain ? 0 : 1 }

    @Test(arguments: StoreKind.allCases, [10, 10_000])
    func `alone is a coordination file of one's own, and writes nothing`(
        kind: StoreKind, recordCount: Int
    ) throws {
        let counted = try CountedStore(kind, recordCount: recordCount)
        try counted.store.close()
        var store: Store?
        let opening = try counted.files { store = try counted.open() }
        #expect(
            opening.calls == [
                // The store's own name, and the place of the coordination file.
                .resolve: 1, .identity: 2,
                // The store, and a coordination file that replaces any left-over.
                .open: 2, .remove: 1, .allocate: 1, .map: 1, .rename: 1, .flushFolder: 1,
                .bootIdentifier: 1,
                // The preamble, and both meta slots under the lock of a process that is alone;
                // marks, headers and the beginning of the log.
                .byteCount: 4, .read: Self.openingReads + Self.keyringReads(kind),
                .lock: 3 + Self.secretLocks(kind),
                // For pages and for the log, the leader's and the writer's handles; the kernel
                // reports an error to each of them.
                .openFlushHandle: 4,
            ])
        #expect(opening.writtenByteCount == 0)
        // Nothing was changed: the last process only removes the coordination file.
        let closing = try counted.files { try store?.close() }
        // It checks whether the log has anything for a checkpoint, with the locks on the trees and
        // on flushes, whether the file has a commit newer than the board says, and whether the file
        // is too long. It reads the end of the log in the mapping, which nobody needed before.
        #expect(
            closing
                == CallCounter.Count(
                    calls: [
                        .lock: 5, .read: Self.closingReads, .map: 1, .identity: 1, .byteCount: 1,
                        .remove: 1,
                    ]))
    }

    @Test(arguments: StoreKind.allCases)
    func `beside others writes nothing and flushes nothing`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        var store: Store?
        let opening = try counted.files { store = try counted.open() }
        #expect(
            opening.calls == [
                .resolve: 1, .identity: 3, .open: 2, .map: 1, .bootIdentifier: 1,
                // The preamble, the head of the coordination file, and both meta slots, twice:
                // whether they are older than the board, and whether newer; marks, and the log.
                .byteCount: 4, .read: Self.joiningReads + Self.keyringReads(kind),
                // Whether another process is there, whether it made the coordination file, and
                // whether a process is writing.
                .lock: 3 + Self.secretLocks(kind), .isLocked: 2, .openFlushHandle: 3,
            ])
        #expect(opening.writtenByteCount == 0)
        #expect(try counted.files { try store?.close() }.calls == [.lock: 1])
    }

    /// The file's name must be durable before a commit is promised under it, but not earlier.
    @Test(arguments: StoreKind.allCases)
    func `to read flushes nothing, and the first to write flushes the folder for all`(
        kind: StoreKind
    ) throws {
        let counted = try CountedStore(kind)
        try counted.store.close()
        var stores: [Store] = []
        let flushes = try [StoreOptions.Access.readOnly, .readWrite, .readWrite].map { access in
            let opening = try counted.files { stores.append(try counted.open(access)) }
            #expect(opening.writtenByteCount == 0)
            #expect(opening.calls[.flush] == nil)
            return opening.calls[.flushFolder] ?? 0
        }
        #expect(flushes == [0, 1, 0])
        for store in stores { try store.close() }
    }
}
