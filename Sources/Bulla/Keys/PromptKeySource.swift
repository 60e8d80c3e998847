/// A secret that a person types at this process's terminal, which does not show it.
///
/// Bulla asks at `/dev/tty`, whatever standard input and output are. The line goes byte by byte
/// into locked memory and is never a `String`. The usual keys erase a character or the line. The
/// terminal is always restored. The interrupt key first restores the terminal, and then interrupts.
/// Other signals that would end or stop the process also wait until the terminal is restored, if
/// they are delivered to this thread, as they always are in a program with a single thread.
public struct PromptKeySource: KeySource {
    private let prompt: String
    private let isConfirming: Bool

    /// Makes a source that asks a question at the terminal.
    ///
    /// - Parameters:
    ///   - prompt: what the terminal shows, unchanged, such as `"Password: "`.
    ///   - confirming: whether to ask for the secret twice, as for a new one.
    public init(_ prompt: String, confirming: Bool = false) {
        self.prompt = prompt
        isConfirming = confirming
    }

    /// The source's name in messages: `the terminal`.
    public var name: String { "the terminal" }

    /// Asks, and waits for the answer as long as it takes.
    ///
    /// - Throws: `keyPromptUnavailable` if the process has no terminal; `keySourceEmpty` for an
    ///   empty line; `keyPromptMismatch` if the two lines differ, compared in constant time;
    ///   `invalidArgument` for a line that is too long; `io`, with `EINTR` if the interrupt key was
    ///   pressed and the program continues.
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
