internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces

/// `bulla key rotate`: seals new pages under new data keys.
struct KeyRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Seal new pages under new data keys from now on.",
        usage: "bulla key rotate <store> --key-file <file> [<options>]",
        discussion: """
            This limits how much one data key seals. It revokes nothing: every key that opens \
            the store reads old pages and new ones.

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
            When it has ended, the former secret opens nothing in the file, but still opens \
            earlier copies and backups. The new secret is sealed under the key of each slot, so \
            give the keys of all slots that shall stay. The slot that opens the store now stays \
            anyway.

              bulla key reencrypt my.bulla --key-file my.key \\
                --keep-key-file paper.key --keep-password-source prompt

            If it is cut short, its work so far stays: --resume goes on. It waits no longer than \
            --timeout for others that still read under the former secret (status 75).
            """)

    @OptionGroup var store: StoreArguments

    @Option(
        help: ArgumentHelp(
            "A file with the key of a slot that stays; may be given again.", valueName: "file"),
        completion: .file())
    var keepKeyFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "The source of the key of a slot that stays; may be given again.",
            valueName: "source"))
    var keepKeySource: [KeyPlace] = []

    @Option(
        help: ArgumentHelp(
            "The source of the password of a slot that stays; may be given again.",
            valueName: "source"))
    var keepPasswordSource: [KeyPlace] = []

    @Flag(help: "Remove the slots whose keys are not given.") var dropOtherSlots = false

    @Option(
        help: ArgumentHelp(
            "The share of the time in which it works: above 0, up to 1.", valueName: "share"))
    var pace: Double = 0.5

    @Flag(help: "Go on with a re-encryption that was cut short.") var resume = false
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
                    "; give them by --keep-key-source and its like, or give --drop-other-slots"
            }
            throw failure
        }
    }
}
