internal import Bulla
internal import BullaObjects

/// Why a command failed.
///
/// The message says what the command attempted, on what, and what it found instead. It contains no
/// key, no value and no name of a tree, because standard error often ends up in logs.
struct CommandError: Error {
    let exit: CommandExit
    var message: String
    /// The code for programs: the engine's code, or the name of the exit status.
    let code: String
    var errno: Int32?
    var page: UInt64?
    var commit: UInt64?
    /// A hint that is shown only on a terminal, because it may name trees, and must not get into a
    /// log.
    var hint: String?
    /// What a load did before it failed.
    var loaded: LoadSummary?
    /// What an import of objects did before it failed.
    var imported: ObjectImport.Summary?

    /// - Parameter code: the code for programs; by default the name of the status.
    init(
        _ exit: CommandExit, _ message: String, code: String? = nil, errno: Int32? = nil
    ) {
        self.exit = exit
        self.message = message
        self.code = code ?? "\(exit)"
        self.errno = errno
    }

    /// An error of the engine, as the command reports it.
    ///
    /// - Parameters:
    ///   - exit: the status, if it should differ from the usual one for this error.
    ///   - place: a text to put before the message, such as a file and a line.
    init(_ error: BullaError, as exit: CommandExit? = nil, at place: String? = nil) {
        self.exit = exit ?? CommandExit(error)
        self.message = (place.map { $0 + ": " } ?? "") + error.message + Remedy.text(for: error)
        self.code = error.code.rawValue
        self.errno = error.errno
        self.page = error.page
        self.commit = error.commit
    }

    /// A system call that failed.
    ///
    /// - Parameter attempt: what was attempted on what, such as `open orders.csv`.
    init(system number: Int32, _ attempt: String, as exit: CommandExit? = nil) {
        self.init(
            exit ?? CommandExit(systemError: number), attempt + ": " + systemMessage(number),
            errno: number)
    }
}

/// A signal asked the command to stop.
struct Interrupted: Error {
    let signal: Int32
    var loaded: LoadSummary?
    var imported: ObjectImport.Summary?

    var isByKeyboard: Bool { signal == Signals.interrupt }
}

/// The reader of standard output has closed it: the command ends without a message.
struct OutputClosed: Error {}

/// What the user can do about an error of the engine, if that is known.
enum Remedy {
    /// The text to append to the error's message.
    static func text(for error: BullaError) -> String { remedy(for: error).map { "; " + $0 } ?? "" }

    private static func remedy(for error: BullaError) -> String? {
        switch error.code {
        case .encrypted: "give --key-file, --key-fd or --key-source"
        case .notEncrypted: "leave out --key-file, --key-fd and --key-source"
        case .optionMismatch: "leave out --page-size and --suite"
        case .unsupportedFormat: "a newer bulla reads it"
        case .keySlotNotFound: "bulla key list lists the slots"
        case .vaultNotFound: "bulla vault list lists the vaults"
        case .readersFull: "end some readers, or try again"
        case .corrupted:
            "bulla check says what is damaged, bulla salvage saves what still verifies"
        case .keyTooLarge: "bulla info says what fits, and bulla create --page-size sets it"
        default: nil
        }
    }
}
