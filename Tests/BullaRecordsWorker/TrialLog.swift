import Foundation
import Logging
import Synchronization

/// A file that receives the whole log.
final class TrialLog: Sendable {
    private let file: Mutex<FileHandle>

    init(_ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        file = Mutex(try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
    }

    func write(_ text: String) {
        file.withLock { try? $0.write(contentsOf: Data((text + "\n").utf8)) }
    }
}

struct TrialLogHandler: LogHandler {
    private let log: TrialLog
    private let label: String
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ log: TrialLog, _ label: String) { (self.log, self.label) = (log, label) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.write("\(label) \(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)")
    }
}
