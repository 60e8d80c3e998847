internal import Bulla
internal import Logging

/// Shows the engine's log messages on standard error; with `--json`, each as one line of JSON.
///
/// Such a message says, for example, that a recovery has fallen back to an older commit.
struct MessageLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    /// A line of JSON; the name of its only member distinguishes it from an error.
    private struct Report: Encodable {
        struct Details: Encodable {
            let level: String
            let message: String
            let facts: [String: String]
        }

        let notice: Details
    }

    /// A logger that passes its messages to a ``MessageLog``.
    static func logger() -> Logger { Logger(label: "bulla") { _ in MessageLog() } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = (event.metadata ?? [:]).merging(metadata) { given, _ in given }
            .mapValues { "\($0)" }
        let report = Report(
            notice: Report.Details(
                level: event.level.rawValue, message: "\(event.message)", facts: facts))
        let text = CommandEnding.isJSONWanted ? JSONOutput.line(report) : Self.text(report.notice)
        StandardError.write(text)
    }

    private static func text(_ notice: Report.Details) -> String {
        let facts = notice.facts.sorted { $0.key < $1.key }.map { ", \($0.key): \($0.value)" }
        let line = "bulla: \(notice.level): \(notice.message)\(facts.joined())"
        return EscapedText.forTerminal(line) + "\n"
    }
}
