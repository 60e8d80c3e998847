/// What a meta slot, and the durable record of the coordination file, say.
struct Record: Hashable {
    var image: UInt8 = 0
    var commit: UInt8 = 1
    var lastDurable: UInt8 = 1
    var metaSlot: UInt8 = 0
    var flush: UInt8 = 1

    var isConfirmed: Bool { lastDurable == commit }
}
