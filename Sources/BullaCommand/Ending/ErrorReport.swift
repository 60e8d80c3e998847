internal import Bulla

/// An error as it is written to standard error: a line of text, or with `--json` a line of JSON.
struct ErrorReport: Encodable {
    struct Details: Encodable {
        let code: String
        let exit: Int32
        let message: String
        var errno: Int32?
        var page: UInt64?
        var commit: UInt64?
        var loaded: LoadSummary?
    }

    let error: Details
    /// What only a terminal is shown.
    private var hint: String?

    private enum CodingKeys: String, CodingKey {
        case error
    }

    init(_ error: CommandError) {
        self.error = Details(
            code: error.code, exit: error.exit.rawValue,
            message: error.message + (error.loaded.map { "; " + $0.aftermath } ?? ""),
            errno: error.errno, page: error.page, commit: error.commit, loaded: error.loaded)
        hint = error.hint
    }

    init(_ error: Interrupted) {
        let aftermath = error.loaded.map { ": " + $0.aftermath } ?? ""
        self.error = Details(
            code: "interrupted", exit: 128 + error.signal,
            message: "interrupted by signal \(error.signal)" + aftermath, loaded: error.loaded)
    }

    var text: String {
        let isShown = hint != nil && Descriptor.standardError.isTerminal
        let more = isShown ? hint.map { " " + $0 } ?? "" : ""
        return "bulla: " + EscapedText.forTerminal(error.message + more) + "\n"
    }
}
