internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaTestSupport

/// A store whose header or keyring the input changes.
struct PreambleFuzz {
    private let target: FuzzTarget

    init(_ target: FuzzTarget) { self.target = target }

    /// The first byte says which copies change, and whether their checksums are corrected.
    func run(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        let isPlain = target == .header && choice & 8 != 0
        let keys = isPlain ? FuzzKeys.plain : .encrypted
        var file: [UInt8]
        do { file = try sound(keys) } catch { preconditionFailure("a store can be made") }
        let part = range
        var bytes = Array(file[part])
        input.edit(&bytes)
        if choice & 1 != 0 { fixChecksum(&bytes) }
        file.replace(at: part.lowerBound, with: bytes)
        if choice & 2 != 0 {
            file.replace(at: part.lowerBound + PageFormat.copyDistance, with: bytes)
        }
        if choice & 4 != 0 { file.removeLast(Int(input.byte()) * 300 % file.count) }
        let path = FuzzFile.path("store")
        precondition(FuzzFile.write(file, to: path), "the store can be written")
        open(path, choice & 16 == 0 ? keys.key : nil, file)
    }

    private var range: Range<Int> {
        target == .header
            ? 0..<HeaderField.byteCount
            : PageFormat.keyringOffset..<PageFormat.keyringOffset + Keyring.copyByteCount
    }

    private func fixChecksum(_ bytes: inout [UInt8]) {
        let count = target == .header ? HeaderField.checksum.offset : KeyringField.checksum.offset
        let digest = Array(bytes[..<count]).withBytes { span in
            span.withView { try? KeyDerivation.sha256($0).bytes }
        }
        if let digest { bytes.replace(at: count, with: digest) }
    }

    private func sound(_ keys: FuzzKeys) throws -> [UInt8] {
        var forge = FuzzForge(keys)
        let leaf = try forge.add(ForgedPage.leaf(["b", "c"]), .leaf)
        let tree = ForgedPage.record(forge.root(leaf, height: 1))
        let catalog = try forge.add(
            ForgedPage.leaf([([1, 0x74], UInt32(tree.count), tree)]), .leaf)
        let record = forge.record(forge.root(catalog, height: 1))
        return try forge.file([record, record])
    }

    /// Opens the store; if that fails, the file must be unchanged, and if it succeeds, the store
    /// must have its original content.
    private func open(_ path: String, _ key: StoreKey?, _ file: [UInt8]) {
        do {
            let store = try Store.open(at: path, key: key, options: StoreVerbs.options)
            let value = try store.read { try $0.value(forKey: "c", in: try $0.tree(named: "t")) }
            precondition(value == [0x76], "what opens is what was there")
            try store.close()
        } catch {
            precondition(error is BullaError, "what fails is the store's own error")
            let found = FuzzFile.read(path, byteCount: file.count + 1)
            precondition(found == file, "a file that cannot be opened is not changed")
        }
    }

    var seeds: [[UInt8]] {
        (0..<UInt8(32)).flatMap { choice in
            [
                [choice], [choice, 10, 0, 0, 2], [choice, 16, 0, 3, 0, 32, 0, 0],
                [choice, 60, 0, 9, 1],
            ]
        }
    }
}
