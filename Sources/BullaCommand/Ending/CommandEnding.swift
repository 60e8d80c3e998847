internal import ArgumentParser
internal import Bulla
internal import BullaObjects
internal import BullaText

/// Ends the command after a failure: with one message on standard error, and one exit status.
enum CommandEnding {
    /// Reports the error and ends the process.
    static func end(_ error: any Error) -> Never {
        switch error {
        case let error as CommandError: report(ErrorReport(error))
        case let error as BullaError: report(ErrorReport(CommandError(error)))
        case let error as ObjectError: report(ErrorReport(CommandError(error)))
        case is OutputClosed: Signals.die(of: Signals.brokenPipe)
        case let error as Interrupted: endInterrupted(error)
        default: endParsing(error)
        }
    }

    /// Reports an error that does not end the command.
    static func tell(_ error: CommandError) {
        let report = ErrorReport(error)
        StandardError.write(isJSONWanted ? JSONOutput.line(report) : report.text)
    }

    private static func report(_ report: ErrorReport) -> Never {
        StandardError.write(isJSONWanted ? JSONOutput.line(report) : report.text)
        Signals.exit(report.error.exit)
    }

    /// Reports the interrupt, and dies of its signal, so that a shell loop around the command also
    /// stops.
    private static func endInterrupted(_ error: Interrupted) -> Never {
        let report = ErrorReport(error)
        StandardError.write(isJSONWanted ? JSONOutput.line(report) : report.text)
        Signals.die(of: error.signal)
    }

    /// Prints help on standard output; reports a wrong command line as an error, with the usage.
    private static func endParsing(_ error: any Error) -> Never {
        let text = BullaTool.fullMessage(for: error)
        guard BullaTool.exitCode(for: error) != .success else {
            try? ByteOutput.print(text + (text.hasSuffix("\n") ? "" : "\n"))
            Signals.exit(CommandExit.success.rawValue)
        }
        let message = BullaTool.message(for: error)
        let isTold = Descriptor.standardError.isTerminal && !isJSONWanted
        if let error = BullaTool.unknownCommand(
            CommandLine.arguments.dropFirst(), isRepeated: isTold)
        {
            report(ErrorReport(error))
        }
        guard !isJSONWanted else {
            report(ErrorReport(CommandError(.usage, ParserMessage.text(message))))
        }
        let shown =
            isTold || message.isEmpty
            ? text : text.replacing(message, with: ParserMessage.text(message))
        let body = shown.hasPrefix("Error: ") ? String(shown.dropFirst(7)) : shown
        StandardError.write("bulla: " + EscapedText.forTerminal(body) + "\n")
        Signals.exit(CommandExit.usage.rawValue)
    }

    /// Whether the arguments ask for JSON; works even if the parser refuses them.
    static var isJSONWanted: Bool {
        CommandLine.arguments.prefix { $0 != "--" }.contains("--json")
    }
}
