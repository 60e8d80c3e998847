import BullaMemory
package import BullaTestSupport

/// Holds known bytes in each kind of memory until its input ends, to show which of them a search of
/// memory finds, since otherwise a search that finds nothing would prove nothing.
struct PlantJob {
    private let command: WorkerCommand

    init(_ command: WorkerCommand) throws {
        self.command = command
        if let folder = command.text("core") { try CoreDump.allow(in: folder) }
    }

    func run() throws {
        let heap = canary(.heap).array()
        let region = try AnonymousRegion(byteCount: Canary.byteCount)
        fill(region.bytes, .mapping)
        var secret = try SecretBytes(byteCount: Canary.byteCount)
        secret.withMutableView { fill($0, .secret) }
        var wiped = try SecretBytes(byteCount: Canary.byteCount)
        wiped.withMutableView { fill($0, .wiped) }
        wiped.wipe()
        // The bytes went through registers, which may still have them, or may have been saved on
        // the stack.
        Canary.overwriteRegisters()
        Canary.overwriteStack()
        var stack = InlineArray<64, UInt8>(repeating: 0)
        // SAFETY: the memory belongs to this call, and does not leave the closure.
        unsafe withUnsafeMutableBytes(of: &stack) { bytes in
            if let base = bytes.baseAddress {
                fill(unsafe MutableByteView(base: base, byteCount: bytes.count), .stack)
            }
            Line.say("hidden", SecretArena.statistics.hiddenByteCount)
            Line.say("ready")
            Line.awaitEnd()
        }
        withExtendedLifetime((heap, wiped.byteCount, secret.byteCount)) {}
        withExtendedLifetime(region) { _ in }
    }

    private func canary(_ place: PlantPlace) -> Canary { place.canary(command.number("seed")) }

    private func fill(_ bytes: MutableByteView, _ place: PlantPlace) {
        canary(place).withBytes { canary in canary.withView { bytes.copy($0, to: 0) } }
    }
}

/// Where known bytes are placed.
package enum PlantPlace: Int, CaseIterable, Sendable {
    case heap, stack, mapping, secret, wiped

    package func canary(_ seed: Int) -> Canary { Canary(seed: seed * 10 + rawValue) }
}
