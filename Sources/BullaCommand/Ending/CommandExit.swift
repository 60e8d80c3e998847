internal import Bulla

/// The exit status of the command, which tells the kind of outcome.
///
/// Numbers from 64 on are those of `sysexits.h`. A program should decide by the status, or with
/// `--json` by the error's `code`, but never by a message. The help shows the statuses as a table.
enum CommandExit: Int32, CaseIterable, Sendable {
    case success = 0
    case notFound = 1
    case damaged = 2
    case notYetDurable = 3
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case system = 71
    case cannotCreate = 73
    case io = 74
    case busy = 75
    case noPermission = 77
    case configuration = 78

    /// The meaning, in half a line for the help.
    var meaning: String {
        switch self {
        case .success: "done"
        case .notFound: "no such key, tree, model, key slot or vault"
        case .damaged: "the store, or what was sealed, is damaged, or older than it must be"
        case .notYetDurable: "the change was made, but is not flushed yet; do not repeat it"
        case .usage: "the command line is wrong"
        case .data: "malformed input, a record over a limit, or a file that is not a store"
        case .noInput: "an input file is missing"
        case .unavailable: "a tool that decompresses is missing; the message names its package"
        case .software: "a mistake in bulla itself"
        case .system: "the system refused a process, a pipe or memory"
        case .cannotCreate: "a file, tree, slot or vault is there already, or cannot be made"
        case .io: "reading or writing failed, or the disk is full"
        case .busy: "others hold something that is needed; try again"
        case .noPermission: "wrong key, no key, a needless key, or a key file that others may read"
        case .configuration: "a format, cipher, page size or file system that does not fit"
        }
    }

    /// The table that the help shows.
    static var table: String {
        allCases.map { exit in
            let number = "\(exit.rawValue)"
            return "  " + String(repeating: " ", count: 3 - number.count) + number + "  "
                + exit.meaning
        }.joined(separator: "\n")
    }
}

extension CommandExit {
    /// The status for an error of the engine.
    init(_ error: BullaError) {
        self =
            switch error.code {
            case .treeNotFound, .vaultNotFound: .notFound
            case .corrupted, .rolledBack, .sealDamaged: .damaged
            case .notYetDurable: .notYetDurable
            case .invalidArgument, .lastKeySlot: .usage
            case .notAStore, .keyTooLarge, .valueTooLarge, .entityMismatch: .data
            case .treeExists, .vaultExists, .keySlotsFull: .cannotCreate
            case .busy, .readersFull, .replaced, .snapshotExpired: .busy
            case .wrongKey, .notEncrypted, .encrypted, .invalidKeyLength, .readOnly: .noPermission
            // The store or the vault has no slot of the kind, label or number that the opener asks
            // for, or another vault sealed the data.
            case .keySlotNotFound, .otherVault: .noPermission
            case .keySourceMissing: .noInput
            case .keySourceEmpty, .keySourceDenied, .keySourceExpired, .keySourceRevoked,
                .keyFileMode, .keyFileOwner, .keyFileLink, .keyPromptMismatch,
                .keyPromptUnavailable:
                .noPermission
            case .keySourceFull: .system
            case .unsupportedFormat, .optionMismatch, .unsupportedFileSystem, .passwordParameters:
                .configuration
            case .full, .poisoned: .io
            case .outOfMemory: .system
            case .io: CommandExit(systemError: error.errno ?? 0)
            // Bugs in this program: `usedAfterFork`, `closed`, `vaultLocked`.
            default: .software
            }
    }
}
