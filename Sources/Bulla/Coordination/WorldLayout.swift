internal import BullaCipher
internal import BullaMemory

/// The layout of the coordination file.
///
/// As a rule, words that different processes write lie at least 64 bytes apart.
///
/// The identity of the data file is its device and its inode.
///
///     offset  bytes  what                  written by            a dead process leaves in it
///          0      8  magic                 its maker, once
///          8      8  layout version        its maker, once
///         16     16  file identifier       its maker, once
///         32     16  world identifier      its maker, once
///         48     16  boot identifier       its maker, once
///         64     16  data file's identity  its maker, once
///         80      8  slot count            a slot claimer        a true count
///         88      8  name flushed          opening writers       1: the disk has the file's name
///        192      8  checkpoint sequence   leader, joiners       the number of a posted record
///        256      8  poison                any whose flush fails 1: a flush failed
///        320      8  writer turns          the writer            a number that others wait on
///        328      8  writer's process      the writer            its number, for messages only
///        336      8  tree turns            the checkpointer      a number that others wait on
///        344      8  tree lock's process   the checkpointer      its number, for messages only
///        384      8  waiting writers       the waiters           too high: needless wakes
///        392      8  waiting for trees     the waiters           likewise
///        448      8  waiting for a flush   the waiters           likewise
///        520      8  leader's process      the flush leader      its number, for messages only
///        576      8  seals                 the checkpointer      pages sealed, or about to be
///        640     32  commits, flushes, waits, checkpoints        counters, for people; `commits`
///                                                                also tells whether anybody wrote
///        672      8  last checkpoint       the checkpointer      seconds since the system started
///        704      8  flush turns           the flush leader      a number that others wait on
///        768      8  company awaited       leader, writers       a commit: one needless wake
///        832      8  announced commit      the writer            the newest whole commit, or older
///        896      8  flushes of the log    the flush leader      a finished flush's number
///        960      8  log flush under way   the flush leader      the commit that it was flushing
///        968      8  flush interrupted     leader, writer        1: frames are written again
///       1024      -  four sealed records   see ``BoardCell``     one of each pair is whole
///       4096      -  reader slots          their owners          see ``ReaderSlotLayout``
enum WorldLayout {
    static let magic: UInt64 = 0x646C_7277_4C4C_5542
    static let version: UInt64 = 10

    static let magicOffset = 0
    static let versionOffset = 8
    static let fileIdentifier = 16
    static let world = 32
    static let slotCount = 80
    static let nameFlushed = 88
    static let checkpoint = 192
    static let poison = 256
    static let writerTurns = 320
    static let writerProcess = 328
    static let treeTurns = 336
    static let treeProcess = 344
    static let writersWaiting = 384
    static let treesWaiting = 392
    static let flushWaiting = 448
    static let flushProcess = 520
    static let seals = 576
    static let commits = 640
    static let flushes = 648
    static let waits = 656
    static let checkpoints = 664
    static let lastCheckpoint = 672
    static let flushTurns = 704
    static let companyAwaited = 768
    static let logAnnounced = 832
    static let logDurable = 896
    static let logUnderWay = 960
    static let logInterrupted = 968
    static let cells = 1024
    static let cellByteCount = 512
    static let slots = 4096
    static let byteLimit = byteCount(slotCount: ReaderSlotLayout.limit)

    static func byteCount(slotCount: Int) -> Int {
        invariant(slotCount <= ReaderSlotLayout.limit, "a world has no more slots than the limit")
        return ReaderSlotLayout.offset(of: slotCount)
    }
}

/// The sealed records of the board: two of each kind, written alternately, so that one is always
/// whole.
enum BoardCell: Int {
    case checkpoint = 0
    /// How far the log is durable.
    case log = 2

    func offset(_ sequence: UInt64) -> Int {
        WorldLayout.cells + (rawValue + Int(sequence % 2)) * WorldLayout.cellByteCount
    }

    /// The offset of a cell's *label*.
    ///
    /// The label is the number of the cell's record. It is not sealed, so checking it is cheap.
    func label(_ sequence: UInt64) -> Int {
        invariant(
            Self.sealedByteCount <= WorldLayout.cellByteCount - 8,
            "a label stands after its record")
        return offset(sequence) + WorldLayout.cellByteCount - 8
    }

    /// A record is sealed as a page of this size.
    static let sealedByteCount = contentByteCount + TrailerField.totalByteCount
    static let contentByteCount = CommitField.byteCount

    /// Which of the world's keys seals a record.
    ///
    /// One key serves 2^28 posted records of each kind, and the records that were sealed but never
    /// posted. That is far below 2^32, the most that a key may seal under random nonces (NIST SP
    /// 800-38D, section 8.3).
    static func era(_ sequence: UInt64) -> UInt64 { sequence >> 28 }

    /// What a sealed record is bound to, besides the world and the era.
    ///
    /// The key that seals the record is derived from the world and the era.
    func context(_ sequence: UInt64) -> PageContext {
        PageContext(pageNumber: UInt64(rawValue), birth: sequence, epoch: 0, kind: 0)
    }

    var word: Int {
        switch self {
        case .checkpoint: WorldLayout.checkpoint
        case .log: WorldLayout.logDurable
        }
    }
}
