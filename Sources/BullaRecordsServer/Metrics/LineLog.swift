internal import BullaRecordsWeb
internal import Foundation
package import Logging

/// Writes the log to standard error, one JSON object per line.
package struct LineLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level

    package init(_ level: Logger.Level) { logLevel = level }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var writer = JSONWriter(byteCapacity: 256)
        writer.beginObject()
        writer.key("time")
        writer.string(Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        writer.key("level")
        writer.string(event.level.rawValue)
        writer.key("message")
        writer.string("\(event.message)")
        let facts = metadata.merging(event.metadata ?? [:]) { _, given in given }
        for (key, value) in facts.sorted(by: { $0.key < $1.key }) {
            writer.key(key)
            writer.string("\(value)")
        }
        writer.endObject()
        // If the log cannot be written, the service continues without it.
        try? FileHandle.standardError.write(contentsOf: Data(writer.bytes + [10]))
    }
}
