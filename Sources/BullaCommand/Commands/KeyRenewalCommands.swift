internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces

/// `bulla key rotate`: seals new pages under new data keys.
struct KeyRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Seal new pages under new data keys from here on.",
        usage: "bulla key rotate <store> --key-file <file> [<options>]",
        discussion: """
            It bounds how much one data key seals. It revokes nothing: whoever opens the store \
            reads old pages and new ones.

              bulla key rotate my.bulla --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func validate() throws { try store.key.validateGiven() }

    func run() throws { try store.writing { opened in try opened.rotateDataKeys() } }
}

/// `bulla key reencrypt`: replaces the secret of a store.
struct KeyReencryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reencrypt",
        abstract: "Replace a store's secret, and seal every page anew, while others use it.",
        usage: "bulla key reencrypt <store> --key-file <file> [<options>]",
        discussion: """
            At its end the former secret opens nothing of the file. Copies and backups from before \
            stay readable. A new secret can be sealed only under a key that is there: give the \
            keys of all slots that are to stay. The one that opens the store here stays anyway.

              bulla key reencrypt my.bulla --key-file my.key \\
                --keep-key-file paper.key --keep-password-source prompt

            What was done stays done, whatever cuts it short: --resume goes on. It waits no longer \
            than --timeout for others who still read under the former secret (status 75).
            """)

    @OptionGroup var store: StoreArguments

    @Option(
        help: ArgumentHelp(
            "A file with the key of a slot that stays; may be given again.", valueName: "file"),
        completion: .file())
    var keepKeyFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where the key of a slot that stays is; may be given again.", valueName: "source"))
    var keepKeySource: [KeyPlace] = []

    @Option(
        help: ArgumentHelp(
            "Where the password of a slot that stays is; may be given again.",
            valueName: "source"))
    var keepPasswordSource: [KeyPlace] = []

    @Flag(help: "Remove the slots whose keys are not given.") var dropOtherSlots = false

    @Option(
        help: ArgumentHelp(
            "How much of the time it works: above 0, up to 1.", valueName: "share"))
    var pace: Double = 0.5

    @Flag(help: "Go on with one that was cut short.") var resume = false
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    private struct Answer: Encodable {
        let isDone = true
    }

    private var kept: [KeyRequest] {
        let keys = keepKeyFile.map { KeyPlace.keyFile($0) } + keepKeySource
        return keys.map { KeyRequest(place: $0, question: "Key of a slot that stays") }
            + keepPasswordSource.map {
                KeyRequest(
                    place: $0, isPassword: true, question: "Password of a slot that stays")
            }
    }

    func validate() throws {
        try store.key.validateGiven()
        try KeyPlace.checkApart([store.key.place] + kept.map(\.place))
        guard !resume || (kept.isEmpty && !dropOtherSlots) else {
            throw ValidationError("--resume goes on with the slots that were chosen before")
        }
        guard pace > 0, pace <= 1 else {
            throw ValidationError("--pace is \(pace), expected above 0, up to 1")
        }
    }

    func run() throws {
        guard let key = try store.storeKey() else { return }
        let keys = try [key] + kept.map { try $0.key(within: store.timeout.duration) }
        Signals.catchInterrupts()
        try store.using(key, { _ in }) { opened in try reencrypt(opened, keys) }
        if output.json { try ByteOutput.print(JSONOutput.line(Answer())) }
    }

    private func reencrypt(_ opened: Store, _ keys: [StoreKey]) throws {
        let course = ReencryptionCourse(
            store.store, isQuiet: quiet.quiet || output.json, patience: store.timeout.duration)
        defer { course.finish() }
        do {
            if resume {
                try opened.resumeReencryption(pace: pace, progress: course.update)
            } else {
                try opened.reencrypt(
                    keys: keys, droppingOtherSlots: dropOtherSlots, pace: pace,
                    progress: course.update)
            }
        } catch {
            if error.code == .cancelled || course.isOutOfPatience {
                course.finish()
                StandardError.write("bulla: what was done stays; --resume goes on\n")
                try Signals.check()
            }
            var failure = CommandError(error)
            if error.code == .invalidArgument {
                failure.message +=
                    "; --keep-key-source and its like give them, --drop-other-slots lets them go"
            }
            throw failure
        }
    }
}
