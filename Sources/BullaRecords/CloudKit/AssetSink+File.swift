internal import Foundation

extension AssetSink {
    private static var partByteCount: Int { 1 << 20 }

    /// Appends the bytes of a file on this machine, with only a part of them in memory at a time.
    ///
    /// - Throws: `assetFileNotFound`; `assetFileModified` if the file changes while it is read;
    ///   `invalidArguments` if the URL is not a file's; otherwise the errors of `append`.
    func append(contentsOf url: URL) throws {
        guard url.isFileURL else {
            throw CKError(.invalidArguments, "upload an asset: its URL is not that of a file")
        }
        let path = url.resolvingSymlinksInPath().path
        let former = try Self.state(path)
        guard let file = FileHandle(forReadingAtPath: path) else { throw Self.missing }
        defer { try? file.close() }
        var byteCount = 0
        while let part = try file.read(upToCount: Self.partByteCount), !part.isEmpty {
            byteCount += part.count
            try append([UInt8](part)[...])
        }
        guard try Self.state(path) == former, byteCount == former.byteCount else {
            throw CKError(.assetFileModified, "upload an asset: its file has changed meanwhile")
        }
    }

    private static var missing: CKError {
        CKError(.assetFileNotFound, "upload an asset: there is no file that can be read")
    }

    private static func state(_ path: String) throws(CKError) -> FileState {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw missing }
        return FileState(
            byteCount: (attributes[.size] as? NSNumber)?.intValue,
            modified: attributes[.modificationDate] as? Date)
    }
}

private struct FileState: Equatable {
    let byteCount: Int?
    let modified: Date?
}
