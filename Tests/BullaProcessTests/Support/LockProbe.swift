import Bulla

/// Checks from outside which locks on a store's file are held.
struct LockProbe {
    private let file: any StorageFile

    init(_ path: String) throws { file = try SystemStorage().open(path, .writing) }

    func isHeld(_ byte: UInt64) throws -> Bool { try file.isLocked(byte, against: .exclusive) }
}
