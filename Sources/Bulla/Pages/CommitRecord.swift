package import BullaMemory

/// The fields of a commit record, in their order in a meta slot and in the coordination file.
package enum CommitField: Int, CaseIterable {
    case commit, lastDurable, catalogRoot, pageCount, runStart, runCount, searchPosition
    case freeCount, pendingCount, treeCount, keyEpoch, sealedCount, reservedCount
    case keyringGeneration, historyIdentifier, metaSlot, flush
    case parentHistory, forkCommit, runOthers, nextTree, logPageLimit, keyHistory
    case logSequence, logOffset, logSegment, logTag
    case evenHalfStart, evenHalfCount, oddHalfStart, oddHalfCount

    package var byteCount: Int {
        switch self {
        case .catalogRoot: TreeRootLayout.byteCount
        case .historyIdentifier, .parentHistory, .keyHistory, .logTag: 16
        default: 8
        }
    }

    package var offset: Int { Self.offsets[rawValue] }
    package static let byteCount = allCases.reduce(0) { $0 + $1.byteCount }

    private static let offsets = allCases.map { field in
        allCases.prefix(field.rawValue).reduce(0) { $0 + $1.byteCount }
    }

    package var meaning: String {
        switch self {
        case .commit: "number of this commit"
        case .lastDurable: "newest commit known to be flushed when the record was written"
        case .catalogRoot: "the catalog's pointer, height, entries, large values and number (0)"
        case .pageCount: "number of the page after the last one of the store"
        case .runStart: "first page of the run that the next commit takes its pages from"
        case .runCount: "pages left in that run"
        case .searchPosition: "where the search for the next run goes on"
        case .freeCount: "pages marked free in the catalog"
        case .pendingCount: "pages freed, but not yet reusable"
        case .treeCount: "named trees"
        case .keyEpoch: "number of the data key in use"
        case .sealedCount: "pages sealed under that key"
        case .reservedCount: "pages that may be sealed before a meta slot raises the number"
        case .keyringGeneration: "generation of the keyring"
        case .historyIdentifier: "random; renewed when history forks"
        case .metaSlot: "the meta slot that the record was written to"
        case .flush: "how many flushes came before this one, of any commit"
        case .parentHistory: "the history that this one forked from; zero if it is the first"
        case .forkCommit: "the last commit that the two have in common"
        case .runOthers: "pages to take after that run: a bit for each of the 64 from runStart on"
        case .nextTree: "number that the next new tree gets"
        case .logPageLimit: "pages that either half of the log may grow to"
        case .keyHistory: "the history from whose identifier the data key in use is derived"
        case .logSequence: "number of the use of a log half in which replay begins"
        case .logOffset: "offset in that half at which replay begins"
        case .logSegment: "offset of the segment that contains logOffset or ends there; or all ones"
        case .logTag: "tag of the last frame before logOffset"
        case .evenHalfStart: "first page of the half for even uses"
        case .evenHalfCount: "pages of that half"
        case .oddHalfStart: "first page of the half for odd uses"
        case .oddHalfCount: "pages of that half"
        }
    }
}

/// The whole state of a store as of one commit, as a meta slot and the coordination file hold it.
package struct CommitRecord: Hashable, Sendable {
    package var commit: UInt64 = 0
    package var lastDurable: UInt64 = 0
    package var catalog = TreeRoot.empty
    package var pageCount: UInt64 = 0
    package var window = PageWindow.empty
    package var searchPosition: UInt64 = 0
    package var freeCount: UInt64 = 0
    package var pendingCount: UInt64 = 0
    package var treeCount: UInt64 = 0
    package var nextTree: UInt64 = 1
    package var keyEpoch: UInt64 = 1
    package var sealedCount: UInt64 = 0
    package var reservedCount: UInt64 = 0
    package var keyringGeneration: UInt64 = 1
    package var history: Identifier
    package var parentHistory = Identifier(high: 0, low: 0)
    package var forkCommit: UInt64 = 0
    package var keyHistory: Identifier
    package var metaSlot: UInt64 = 0
    package var flush: UInt64 = 0
    /// Where the log is in the file, and where it continues after this commit.
    package var log = LogExtent(even: .empty, odd: .empty)

    /// How many pages the trees use.
    package func liveCount(_ format: PageFormat) -> UInt64 {
        let used = pageCount &- format.firstPage
        let halves = log.halves.reduce(0) { $0 &+ $1.count }
        let unused = freeCount &+ pendingCount &+ window.pageCount &+ halves
        return used > unused ? used - unused : 0
    }

    /// Whether the numbers are consistent with each other.
    ///
    /// This is checked because a plain store's record is not authenticated.
    package func isPlausible(_ format: PageFormat) -> Bool {
        pageCount >= format.firstPage && pageCount < WordTable.wordCountLimit
            && window.isPlausible(in: format.firstPage..<pageCount)
            && treeCount < nextTree && nextTree < UInt64.max / 4
            && freeCount <= pageCount && pendingCount <= pageCount
            && catalog.height <= PageFormat.heightLimit
            && catalog.pointer.isNone == (catalog.height == 0)
            && catalog.pointer.birth <= commit
            && lastDurable <= commit && keyEpoch >= 1 && keyEpoch < UInt64(UInt32.max)
            && sealedCount < 1 << 48 && reservedCount < 1 << 48
            && commit < UInt64.max / 4 && flush < UInt64.max / 4
            && metaSlot < UInt64(MetaPage.slotCount)
            && log.isPlausible(in: format.firstPage..<pageCount)
    }

    package init(history: Identifier) {
        self.history = history
        keyHistory = history
    }

    /// This commit as the first one of a new history, but still in the old history's key epoch.
    ///
    /// The caller must give the fork a log whose halves are its own.
    package func forked(as history: Identifier) -> CommitRecord {
        var fork = self
        fork.parentHistory = self.history
        fork.forkCommit = commit
        fork.history = history
        // The fork's log starts without frames, because the keys of frames come from the history.
        fork.log = LogExtent(even: log.even, odd: log.odd, pageLimit: log.pageLimit)
        return fork
    }

    package init(_ bytes: ByteView, at offset: Int = 0) {
        func word(_ field: CommitField) -> UInt64 {
            bytes.load(UInt64.self, at: offset + field.offset)
        }
        commit = word(.commit)
        lastDurable = word(.lastDurable)
        catalog = TreeRootLayout.read(bytes, at: offset + CommitField.catalogRoot.offset)
        pageCount = word(.pageCount)
        window = PageWindow(
            run: PageRun(start: word(.runStart), count: word(.runCount)), others: word(.runOthers))
        searchPosition = word(.searchPosition)
        freeCount = word(.freeCount)
        pendingCount = word(.pendingCount)
        treeCount = word(.treeCount)
        keyEpoch = word(.keyEpoch)
        sealedCount = word(.sealedCount)
        reservedCount = word(.reservedCount)
        keyringGeneration = word(.keyringGeneration)
        history = Identifier(bytes, at: offset + CommitField.historyIdentifier.offset)
        metaSlot = word(.metaSlot)
        flush = word(.flush)
        parentHistory = Identifier(bytes, at: offset + CommitField.parentHistory.offset)
        forkCommit = word(.forkCommit)
        nextTree = word(.nextTree)
        keyHistory = Identifier(bytes, at: offset + CommitField.keyHistory.offset)
        log = LogExtent(bytes, at: offset)
    }

    package func write(_ bytes: MutableByteView, at offset: Int = 0) {
        func put(_ value: UInt64, _ field: CommitField) {
            bytes.store(value, at: offset + field.offset)
        }
        put(commit, .commit)
        put(lastDurable, .lastDurable)
        TreeRootLayout.write(catalog, bytes, at: offset + CommitField.catalogRoot.offset)
        put(pageCount, .pageCount)
        put(window.run.start, .runStart)
        put(window.run.count, .runCount)
        put(searchPosition, .searchPosition)
        put(freeCount, .freeCount)
        put(pendingCount, .pendingCount)
        put(treeCount, .treeCount)
        put(keyEpoch, .keyEpoch)
        put(sealedCount, .sealedCount)
        put(reservedCount, .reservedCount)
        put(keyringGeneration, .keyringGeneration)
        history.write(bytes, at: offset + CommitField.historyIdentifier.offset)
        put(metaSlot, .metaSlot)
        put(flush, .flush)
        parentHistory.write(bytes, at: offset + CommitField.parentHistory.offset)
        put(forkCommit, .forkCommit)
        put(window.others, .runOthers)
        put(nextTree, .nextTree)
        keyHistory.write(bytes, at: offset + CommitField.keyHistory.offset)
        log.write(bytes, at: offset)
    }
}
