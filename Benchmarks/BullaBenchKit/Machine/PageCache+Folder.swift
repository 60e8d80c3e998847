extension PageCache {
    /// How many bytes of the files in a folder are in the page cache; nil where the kernel does not
    /// tell.
    static func byteCount(ofFilesIn folder: String) -> UInt64? {
        var sum: UInt64 = 0
        for name in Folder.names(in: folder) {
            guard let count = try? residentByteCount(of: folder + "/" + name) else { return nil }
            sum += UInt64(count)
        }
        return sum
    }

    /// Drops all files in a folder from the page cache, and sees to it that they have gone.
    static func drop(filesIn folder: String) throws {
        for name in Folder.names(in: folder) { try drop(folder + "/" + name) }
    }
}
