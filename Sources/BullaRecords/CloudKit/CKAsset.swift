public import Foundation

/// A file that belongs to a record, and lies outside of it.
///
/// This version keeps no files: a record with an asset is refused when it is saved, with
/// ``CKError/Code/invalidArguments``.
public final class CKAsset: NSObject, Sendable {
    /// Where the file is; `nil` for an asset of which only its description was read.
    public let fileURL: URL?
    /// How many bytes the file has, where the asset was read.
    let descriptor: AssetDescriptor?

    /// An asset to be saved.
    ///
    /// - Parameter fileURL: a file on this machine.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        descriptor = nil
    }

    init(_ descriptor: AssetDescriptor) {
        fileURL = nil
        self.descriptor = descriptor
    }
}
