import Bulla
import BullaTestSupport
import Testing

/// What opening and closing a store costs in calls to files: the same on every machine, and for
/// large and small stores.
@Suite struct `The cost of opening` {
    /// Each copy of the keyring is read again under the lock, because the key may have been
    /// changed.
    private static func keyringReads(_ kind: StoreKind) -> Int { kind == .plain ? 0 : 2 }
    private static let openingReads = 17
    private static let closingReads = 7
    private static let joiningReads = 16
    /// This process holds a lock that tells others which secret it knows.
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
                // The store, and a coordination file, which replaces any leftover one.
                .open: 2, .remove: 1, .allocate: 1, .map: 1, .rename: 1, .flushFolder: 1,
                .bootIdentifier: 1,
                // The preamble; both meta slots, under the lock of a process that is alone; and the
                // marks, headers and beginning of the log.
                .byteCount: 4, .read: Self.openingReads + Self.keyringReads(kind),
                .lock: 3 + Self.secretLocks(kind),
                // Two handles for pages, one for flushes of the log, and one for the log's
                // recovery; the kernel reports an error once to each of them.
                .openFlushHandle: 4,
            ])
        #expect(opening.writtenByteCount == 0)
        // Nothing was changed, so the last process only removes the coordination file.
        let closing = try counted.files { try store?.close() }
        // With the locks on the trees and on flushes, it checks whether the log has anything for a
        // checkpoint. Then it checks whether the file has a commit newer than the board says, and
        // whether the file is too long. It maps the file, which nobody needed before, to read the
        // end of the log.
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
                // The preamble; the head of the coordination file; both meta slots, once to see
                // whether they are older than the board, and once to see whether they are newer;
                // the marks, and the log.
                .byteCount: 4, .read: Self.joiningReads + Self.keyringReads(kind),
                // Whether another process is there, whether it made the coordination file, and
                // whether a process is writing.
                .lock: 3 + Self.secretLocks(kind), .isLocked: 2, .openFlushHandle: 3,
            ])
        #expect(opening.writtenByteCount == 0)
        #expect(try counted.files { try store?.close() }.calls == [.lock: 1])
    }

    /// The file's name must be durable before a commit is promised under it; a process that only
    /// reads need not make it durable.
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
