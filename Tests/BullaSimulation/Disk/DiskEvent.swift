/// An event on a simulated disk.
package enum DiskEvent: Sendable {
    /// A new file got a name.
    case create(file: Int, name: String)
    case write(file: Int, offset: UInt64, bytes: [UInt8])
    /// The file was extended to at least this length.
    case extend(file: Int, byteCount: UInt64)
    /// The file was cut to at most this length.
    case cut(file: Int, byteCount: UInt64)
    /// Everything written to the file so far is on the disk.
    case flush(file: Int)
    /// A flush failed: the disk may or may not have the writes that it covered, and no later flush
    /// retries them.
    case failedFlush(file: Int)
    /// Like `flush`, but only for the pages that a range touches.
    case flushRange(file: Int, Range<UInt64>)
    case failedFlushRange(file: Int, Range<UInt64>)
    case link(name: String, newName: String)
    case rename(name: String, newName: String)
    case remove(name: String)
    /// All names are on the disk.
    case flushNames
}

extension DiskEvent {
    /// Whether it is a failed flush, of a file or of a range.
    package var isFailedFlush: Bool {
        switch self {
        case .failedFlush, .failedFlushRange: true
        default: false
        }
    }
}

extension DiskEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .create(let file, let name): "create \(name) as file \(file)"
        case .write(let file, let offset, let bytes):
            "write \(bytes.count) bytes to file \(file) at \(offset)"
        case .extend(let file, let byteCount): "extend file \(file) to \(byteCount)"
        case .cut(let file, let byteCount): "cut file \(file) to \(byteCount)"
        case .flush(let file): "flush file \(file)"
        case .failedFlush(let file): "fail to flush file \(file)"
        case .flushRange(let file, let range): "flush bytes \(range) of file \(file)"
        case .failedFlushRange(let file, let range):
            "fail to flush bytes \(range) of file \(file)"
        case .link(let name, let newName): "link \(name) as \(newName)"
        case .rename(let name, let newName): "rename \(name) to \(newName)"
        case .remove(let name): "remove \(name)"
        case .flushNames: "flush names"
        }
    }
}
