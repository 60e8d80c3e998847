import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

/// Makes plain stores of pages that no writer would write, each with a correct checksum.
struct StoreForge {
    static let name = "forged.bulla"
    /// The commit to which all its pages belong.
    static let commit: UInt64 = 7

    let scratch: Scratch
    private var image: StoreImage
    private let header: HeaderPage
    private let cipher: PageCipher
    /// What the store is based on: the place of its log, and its history.
    private let base: CommitRecord
    private var next: Int

    /// - Parameter pageByteCount: any size if no page is added; otherwise 4096.
    init(_ scratch: Scratch, pageByteCount: Int = 4096) throws {
        self.scratch = scratch
        try StoreKind.plain.open(scratch.path(Self.name), pageByteCount: pageByteCount) {
            $0.fixLog(halfByteCount: UInt64(4 * pageByteCount))
        }.close()
        image = StoreImage(try scratch.bytes(Self.name))
        let hmac = try HMAC(key: SecretBytes(byteCount: 32))
        (header, base) = try image.bytes.withBytes { span in
            try span.withView { bytes in
                let header = try HeaderPage.read(bytes, of: Self.name)
                let meta = bytes.slice(PageFormat.metaOffset, MetaField.byteCount)
                let record = try MetaPage.read(meta, slot: 0, header: header, hmac: hmac)
                return (header, try #require(record))
            }
        }
        next = Int(base.pageCount)
        cipher = try PageCipher(
            plain: header.fileIdentifier, formatVersion: PageFormat.version,
            pageByteCount: pageByteCount)
    }

    /// Adds a page, and returns a pointer to it.
    mutating func add(_ content: [UInt8]) throws -> PagePointer {
        let kind = content[0] == 0 || content[0] > 4 ? 4 : content[0]
        return try add(content, kind: kind)
    }

    mutating func add(_ content: [UInt8], kind: UInt8) throws -> PagePointer {
        let sealed = try ScratchBuffer(byteCount: 4096)
        let context = PageContext(
            pageNumber: UInt64(next), birth: Self.commit, epoch: 0, kind: kind)
        let check = try content.withBytes { span in
            try span.withView { view in
                var batch = SealBatch()
                batch.append(content: view, sealed: sealed.bytes, context: context)
                try cipher.seal(&batch)
                return batch.check(at: 0)
            }
        }
        let end = (next + 1) * 4096
        if image.bytes.count < end {
            image.bytes += [UInt8](repeating: 0, count: end - image.bytes.count)
        }
        image.setPage(next, sealed.bytes.view.copied())
        next += 1
        return PagePointer(number: UInt64(next - 1), birth: Self.commit, check: check)
    }

    /// A tree of one leaf.
    mutating func tree(_ leaf: [UInt8], entryCount: UInt64 = 3) throws -> TreeRoot {
        root(try add(leaf), height: 1, entryCount: entryCount)
    }

    func root(
        _ pointer: PagePointer, height: Int, entryCount: UInt64 = 3, largeCount: UInt64 = 0
    ) -> TreeRoot {
        var root = TreeRoot.empty
        root.pointer = pointer
        root.height = height
        root.entryCount = entryCount
        root.largeCount = largeCount
        root.number = 1
        return root
    }

    /// Names one tree "t" in a catalog of one leaf, and writes the file.
    mutating func finish(
        _ tree: TreeRoot, height: UInt64? = nil, adjust: (inout CommitRecord) -> Void = { _ in }
    ) throws {
        let record = ForgedPage.record(tree, height: height)
        try finish(catalog: [([1, 0x74], record)], adjust: adjust)
    }

    /// Writes the file with these records in its catalog.
    mutating func finish(
        catalog: [(key: [UInt8], value: [UInt8])],
        adjust: (inout CommitRecord) -> Void = { _ in }
    ) throws {
        let leaf = ForgedPage.leaf(catalog.map { ($0.key, UInt32($0.value.count), $0.value) })
        let pointer = try add(leaf)
        try finish(root: root(pointer, height: 1, entryCount: UInt64(catalog.count)), adjust)
    }

    mutating func finish(root: TreeRoot, _ adjust: (inout CommitRecord) -> Void) throws {
        var record = base
        record.commit = Self.commit
        record.lastDurable = Self.commit
        record.catalog = root
        record.pageCount = UInt64(next)
        record.reservedCount = 1 << 20
        record.treeCount = 1
        record.nextTree = 100
        adjust(&record)
        for slot in 0..<MetaPage.slotCount {
            record.metaSlot = UInt64(slot)
            let bytes = try ScratchBuffer(byteCount: MetaField.byteCount)
            let meta = bytes.bytes.slice(0, MetaField.byteCount)
            try MetaPage.write(
                record, slot: slot, header: header, hmac: HMAC(key: SecretBytes(byteCount: 32)),
                into: meta)
            image.bytes.replace(at: Int(MetaPage.offset(slot: slot)), with: meta.view.copied())
        }
        try scratch.write(image.bytes, to: Self.name)
    }
}
