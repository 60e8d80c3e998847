public import Foundation
internal import Synchronization

/// A file that belongs to a record, and lies outside of it.
///
/// ```swift
/// record["photo"] = CKAsset(fileURL: photo)
/// try await database.save(record)
/// ```
///
/// A save reads the file in parts, into chunks that are sealed one by one. An asset of a record
/// that was read has a file once somebody looks at ``fileURL``: a temporary one, in the clear, that
/// only this user may read. It is removed when the last of the record and the asset goes; a process
/// that is killed leaves it. What is written into it does not come into the record.
public final class CKAsset: NSObject, Sendable {
    private enum Source {
        case file(URL)
        case kept(AssetDescriptor, RecordCore)
    }

    private let source: Source
    /// What was read of an asset that is kept.
    private let read = Mutex<TemporaryFile?>(nil)

    /// An asset to be saved.
    ///
    /// - Parameter fileURL: a file on this machine, which has to be there, and to stay as it is,
    ///   until the record is saved.
    public init(fileURL: URL) { source = .file(fileURL) }

    /// An asset that the store has.
    init(_ descriptor: AssetDescriptor, _ core: RecordCore) { source = .kept(descriptor, core) }

    /// Where the file is; `nil` where it cannot be read, of which ``loadFile()`` says why.
    ///
    /// - Complexity: the first look reads all of an asset that was fetched, and blocks meanwhile.
    public var fileURL: URL? { try? loadFile() }

    /// Where the file is, which the first look writes for an asset that was fetched.
    ///
    /// - Throws: ``CKError``: `assetNotAvailable` where no record holds the asset any more;
    ///   `internalError` where it is damaged, or the file cannot be written.
    /// - Complexity: as ``fileURL``; one chunk of a mebibyte in memory at a time.
    public func loadFile() throws -> URL {
        switch source {
        case .file(let url): return url
        case .kept(let descriptor, let core):
            return try read.withLock { file in
                if let file { return file.url }
                let fresh = try Self.file(descriptor, core)
                file = fresh
                return fresh.url
            }
        }
    }

    private static func file(
        _ descriptor: AssetDescriptor, _ core: RecordCore
    ) throws(CKError) -> TemporaryFile {
        do {
            let reader = try AssetReader(core, descriptor)
            return try TemporaryFile { file in
                try reader.read { bytes in try file.write(contentsOf: Data(bytes)) }
            }
        } catch let error as RecordError { throw CKError(error) } catch {
            throw CKError(.internalError, "read an asset: its file cannot be written")
        }
    }

    /// The asset as a record of a core's store holds it; takes it up where it is not there yet.
    func descriptor(in view: DatabaseView) throws(CKError) -> AssetDescriptor {
        do {
            let upload: AssetUpload
            switch source {
            case .kept(let descriptor, let core) where core === view.core: return descriptor
            case .kept(let descriptor, let core):
                upload = try view.beginUpload()
                try AssetReader(core, descriptor).read { try upload.append($0) }
            case .file(let url):
                upload = try view.beginUpload()
                try upload.append(contentsOf: url)
            }
            return try upload.finish()
        } catch let error as CKError { throw error } catch let error as RecordError {
            throw CKError(error)
        } catch { throw CKError(.internalError, "take an asset up: it cannot be read") }
    }
}
