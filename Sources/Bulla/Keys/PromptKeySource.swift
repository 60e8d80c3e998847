/// A secret that somebody types at the terminal of this process, which does not show it.
///
/// Bulla asks at `/dev/tty`, whatever standard input and output are. The line goes byte by byte
/// into locked memory and is never a `String`; the keys that erase a character and a line work. The
/// terminal is set back whatever happens. The interrupt key sets it back first, and interrupts
/// then. Other signals that would end or stop the process wait until then too, where they reach
/// this thread, as they do in a program of one thread.
public struct PromptKeySource: KeySource {
    private let prompt: String
    private let isConfirming: Bool

    /// A question at the terminal.
    ///
    /// - Parameters:
    ///   - prompt: what the terminal shows, as it is, such as `"Password: "`.
    ///   - confirming: whether the secret is asked for twice, as where it is a new one.
    public init(_ prompt: String, confirming: Bool = false) {
        self.prompt = prompt
        isConfirming = confirming
    }

    /// The terminal.
    public var name: String { "the terminal" }

    /// Asks, and waits for the answer as long as it takes.
    ///
    /// - Throws: `keyPromptUnavailable` where the process has no terminal; `keySourceEmpty` for an
    ///   empty line; `keyPromptMismatch` where the two lines differ, found in constant time;
    ///   `invalidArgument` for a line that is too long; `io`, with `EINTR` where the interrupt key
    ///   was pressed and the program goes on all the same.
    public func load() throws(BullaError) -> Secret {
        var terminal = try SilentTerminal(name: name)
        let secret = try terminal.ask(prompt)
        guard isConfirming else { return secret }
        guard try terminal.ask("Once more: ").isSame(as: secret) else {
            throw BullaError(
                .keyPromptMismatch, "take a secret from \(name): the two lines are not the same")
        }
        return secret
    }
}
