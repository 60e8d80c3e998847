internal import BullaMemory

/// Checks the lengths of keys and names that callers pass.
enum Limits {
    static func checkKey(
        _ key: ByteView, _ format: PageFormat, of path: @autoclosure () -> String
    ) throws(BullaError) {
        guard format.keyByteCounts ~= key.byteCount else {
            throw BullaError(
                .keyTooLarge,
                "store a key in \(path()): it has \(key.byteCount) bytes, "
                    + "expected 1 to \(format.keyByteLimit)")
        }
    }

    static func checkTreeName(
        _ name: ByteView, of path: @autoclosure () -> String
    ) throws(BullaError) {
        guard name.byteCount >= 1, name.byteCount <= PageFormat.treeNameByteLimit else {
            throw BullaError(
                .invalidArgument,
                "name a tree of \(path()): the name has \(name.byteCount) bytes, "
                    + "expected 1 to \(PageFormat.treeNameByteLimit)")
        }
    }
}
