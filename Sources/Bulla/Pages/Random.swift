internal import BullaCipher

/// Random values from the kernel, with the engine's types and errors.
enum Random {
    static func word() throws(BullaError) -> UInt64 {
        do { return try KernelRandom.uint64() } catch {
            throw BullaError.cipher("draw random bytes", error)
        }
    }

    static func identifier() throws(BullaError) -> Identifier {
        Identifier(high: try word(), low: try word())
    }

    static func fileIdentifier() throws(BullaError) -> FileIdentifier {
        do { return try FileIdentifier.random() } catch {
            throw BullaError.cipher("draw random bytes", error)
        }
    }
}
