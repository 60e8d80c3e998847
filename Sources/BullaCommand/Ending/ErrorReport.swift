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

    init(_ error: CommandError) {
        self.error = Details(
            code: error.code, exit: error.exit.rawValue,
            message: error.message + (error.loaded.map { "; " + $0.aftermath } ?? ""),
            errno: error.errno, page: error.page, commit: error.commit, loaded: error.loaded)
    }

    init(_ error: Interrupted) {
        let aftermath = error.loaded.map { ": " + $0.aftermath } ?? ""
        self.error = Details(
            code: "interrupted", exit: 128 + error.signal,
            message: "interrupted by signal \(error.signal)" + aftermath, loaded: error.loaded)
    }

    var text: String { "bulla: " + EscapedText.forTerminal(error.message) + "\n" }
}
