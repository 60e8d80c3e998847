internal import Bulla
internal import Dispatch
public import Foundation
internal import Synchronization

/// A file that belongs to a record, but is stored outside it.
///
/// ```swift
/// record["photo"] = CKAsset(fileURL: photo)
/// try await database.save(record)
/// ```
///
/// A save reads the file part by part, into chunks that are sealed one by one. An asset of a record
/// that was read has no file until you access ``fileURL``, which creates a temporary cleartext file
/// that only this user can read. The file is removed once neither the record object nor the asset
/// object exists any more; a process that is killed leaves it behind. Writing to the file does not
/// change the record.
public final class CKAsset: NSObject, Sendable {
    private enum Source {
        case file(URL)
        case kept(AssetDescriptor, any AssetSource)
    }

    private let source: Source
    /// The temporary file of a stored asset.
    private let read = Mutex<TemporaryFile?>(nil)

    /// An asset to be saved.
    ///
    /// - Parameter fileURL: a file on this machine, which must exist and stay unchanged until the
    ///   record is saved.
    public init(fileURL: URL) { source = .file(fileURL) }

    /// An asset in a store or a service.
    init(_ descriptor: AssetDescriptor, _ source: any AssetSource) {
        self.source = .kept(descriptor, source)
    }

    /// Where the file is; `nil` if a fetched asset cannot be read, in which case `loadFile()`
    /// throws the reason.
    ///
    /// - Complexity: the first access reads all of a fetched asset, and blocks until that is done.
    public var fileURL: URL? { try? loadFile() }

    /// Where the file is; the first call for a fetched asset writes the file.
    ///
    /// - Throws: ``CKError``: `assetNotAvailable` if no record holds the asset any more;
    ///   `internalError` if the asset is damaged, or the file cannot be written.
    /// - Complexity: as ``fileURL``; one chunk of a mebibyte is in memory at a time.
    public func loadFile() throws -> URL {
        switch source {
        case .file(let url): return url
        case .kept(let descriptor, let source):
            return try read.withLock { file in
                if let file { return file.url }
                let fresh = try Self.file(descriptor, source)
                file = fresh
                return fresh.url
            }
        }
    }

    /// Where the file is; writes the file of a fetched asset without blocking the threads that
    /// tasks share.
    ///
    /// - Throws, Complexity: as the synchronous form.
    public func loadFile() async throws -> URL {
        try await DispatchQueue(label: "bulla.records.asset").run { try self.loadFile() }
    }

    private static func file(
        _ descriptor: AssetDescriptor, _ source: any AssetSource
    ) throws(CKError) -> TemporaryFile {
        do {
            return try TemporaryFile { file in
                try source.read(descriptor) { bytes in try file.write(contentsOf: Data(bytes)) }
            }
        } catch let error as RecordError { throw CKError(error) } catch {
            throw CKError(.internalError, "read an asset: its file cannot be written")
        }
    }

    /// The descriptor of the asset in a database; uploads the asset if it is not there yet.
    ///
    /// - Parameters:
    ///   - view: the zones of one owner.
    ///   - field: the field that will hold the asset.
    func descriptor(
        in view: any RecordDatabase, for field: AssetField
    ) throws(CKError) -> AssetDescriptor {
        do {
            let upload: any AssetSink
            switch source {
            case .kept(let descriptor, let source) where view.has(assetsOf: source):
                return descriptor
            case .kept(let descriptor, let source):
                upload = try view.beginUpload(for: field)
                try source.read(descriptor) { try upload.append($0) }
            case .file(let url):
                upload = try view.beginUpload(for: field)
                try upload.append(contentsOf: url)
            }
            return try upload.finish()
        } catch let error as CKError { throw error } catch let error as RecordError {
            throw CKError(error)
        } catch { throw CKError(.internalError, "upload an asset: it cannot be read") }
    }
}
