/// The content of a meta slot, and of the coordination file's durable record.
struct Record: Hashable {
    var image: UInt8 = 0
    var commit: UInt8 = 1
    var lastDurable: UInt8 = 1
    var metaSlot: UInt8 = 0
    var flush: UInt8 = 1

    var isConfirmed: Bool { lastDurable == commit }
}
