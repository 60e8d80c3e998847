internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaTestSupport

/// Makes the file of a store from pages that have valid seals, whatever their content.
struct FuzzForge {
    /// The commit to which all its pages belong.
    static let commit: UInt64 = 7

    private let keys: FuzzKeys
    private var bytes: [UInt8]

    init(_ keys: FuzzKeys) {
        self.keys = keys
        bytes = keys.file
    }

    var pageCount: UInt64 { UInt64(bytes.count / 4096) }

    /// Adds a page, and returns a pointer to it.
    mutating func add(_ content: [UInt8], _ kind: PageKind) throws -> PagePointer {
        let number = pageCount
        let sealed = try ScratchBuffer(byteCount: 4096)
        let context = PageContext(
            pageNumber: number, birth: Self.commit, epoch: keys.key == nil ? 0 : 1,
            kind: kind.rawValue)
        let check = try content.withBytes { span in
            try span.withView { view in
                var batch = SealBatch()
                batch.append(content: view, sealed: sealed.bytes, context: context)
                try keys.cipher.seal(&batch)
                return batch.check(at: 0)
            }
        }
        bytes += sealed.bytes.view.copied()
        return PagePointer(number: number, birth: Self.commit, check: check)
    }

    func root(_ pointer: PagePointer, height: Int, largeCount: UInt64 = 0) -> TreeRoot {
        var root = TreeRoot.empty
        root.pointer = pointer
        root.height = height
        root.entryCount = 3
        root.largeCount = largeCount
        root.number = 1
        return root
    }

    /// The record of a commit with this catalog.
    func record(_ catalog: TreeRoot) -> CommitRecord {
        var record = keys.record
        record.commit = Self.commit
        record.lastDurable = Self.commit
        record.catalog = catalog
        record.pageCount = pageCount
        record.reservedCount = 1 << 20
        record.treeCount = 2
        record.nextTree = 100
        record.flush = 1
        return record
    }

    /// The file, with a record in each meta slot.
    func file(_ records: [CommitRecord]) throws -> [UInt8] {
        var bytes = bytes
        for (slot, record) in records.enumerated() {
            let buffer = try ScratchBuffer(byteCount: MetaField.byteCount)
            let meta = buffer.bytes.slice(0, MetaField.byteCount)
            try MetaPage.write(
                record, slot: slot, header: keys.header, hmac: keys.metaAuthentication,
                into: meta)
            bytes.replace(at: Int(MetaPage.offset(slot: slot)), with: meta.view.copied())
        }
        return bytes
    }
}
