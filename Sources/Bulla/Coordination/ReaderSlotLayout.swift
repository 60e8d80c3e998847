/// The layout of the reader slots of the coordination file.
///
/// A slot is 64 bytes, alone on its cache line:
///
///     offset  bytes  word      written by  read by   meaning
///          0      8  commit    its owner   writers   oldest commit the owner may read; 0: idle
///          8      8  process   its owner   people    for messages only
///         16      8  expired   writers     its owner the commit whose snapshot was ended
///
/// A dead process leaves a commit in its slot, until a writer clears the slot.
enum ReaderSlotLayout {
    private static let byteCount = 64

    /// How many slots a new file has, and how many are added at a time.
    static let step = 128
    /// The maximum number of snapshots that all processes together can have open at once.
    static let limit = 1 << 16

    static func offset(of slot: Int) -> Int { WorldLayout.slots + slot * byteCount }
    static func commit(of slot: Int) -> Int { offset(of: slot) }
    static func process(of slot: Int) -> Int { offset(of: slot) + 8 }
    static func expired(of slot: Int) -> Int { offset(of: slot) + 16 }
}
