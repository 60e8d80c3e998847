internal import BullaCipher
internal import BullaMemory

/// Seals what clients keep for a service, and show it again: so the service has nothing to keep.
///
/// A client reads nothing of it, and whoever changes a bit of it, or shows it in another container
/// or for another purpose, has nothing.
///
///     bytes  field
///         1  version: 1
///        24  nonce
///         n  ciphertext
///        16  tag
package struct TicketSealer: Sendable {
    private static let version: UInt8 = 1

    private let cipher: VaultCipher
    private let context: [UInt8]

    /// - Parameters:
    ///   - purpose: no two sorts of tickets have one.
    ///   - subject: what else a ticket belongs to.
    init(_ container: ContainerKeys, _ purpose: String, about subject: [UInt8] = []) {
        cipher = container.tickets
        var tuple = ByteTuple("bulla records ticket \(purpose) v1", container.place)
        tuple.append(subject)
        context = tuple.bytes
    }

    package func seal(_ body: [UInt8]) throws(RecordError) -> [UInt8] {
        let count = body.count + VaultCipher.extraByteCount
        do throws(CipherError) {
            let sealed = try [UInt8](byteCount: count) { sealed throws(CipherError) in
                try body.withView { body throws(CipherError) in
                    try context.withView { context throws(CipherError) in
                        try cipher.seal(body, context: context, into: sealed)
                    }
                }
            }
            return [Self.version] + sealed
        } catch { throw RecordError.cipher("write a ticket", error) }
    }

    /// What was sealed; `nil` for bytes that are no ticket of this sort and container.
    package func open(_ ticket: [UInt8]) throws(RecordError) -> [UInt8]? {
        let count = ticket.count - 1 - VaultCipher.extraByteCount
        guard count > 0, ticket[0] == Self.version else { return nil }
        do throws(CipherError) {
            return try [UInt8](byteCount: count) { body throws(CipherError) in
                try ticket.withView { ticket throws(CipherError) in
                    try context.withView { context throws(CipherError) in
                        let sealed = ticket.slice(1, ticket.byteCount - 1)
                        try cipher.open(sealed, context: context, into: body)
                    }
                }
            }
        } catch {
            guard error.code != .badTag else { return nil }
            throw RecordError.cipher("read a ticket", error)
        }
    }
}
