internal import BullaMemory

/// The lengths that callers must keep.
enum Limits {
    static func checkKey(_ key: ByteView, _ format: PageFormat) throws(BullaError) {
        guard key.byteCount >= 1, key.byteCount <= format.keyByteLimit else {
            throw BullaError(
                .keyTooLarge,
                "store a key: it has \(key.byteCount) bytes, expected 1 to \(format.keyByteLimit)")
        }
    }

    static func checkTreeName(_ name: ByteView) throws(BullaError) {
        guard name.byteCount >= 1, name.byteCount <= PageFormat.treeNameByteLimit else {
            throw BullaError(
                .invalidArgument,
                "name a tree: the name has \(name.byteCount) bytes, "
                    + "expected 1 to \(PageFormat.treeNameByteLimit)")
        }
    }
}
