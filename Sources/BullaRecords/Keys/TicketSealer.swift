internal import BullaCipher
internal import BullaMemory

/// Seals tickets, which clients store for a service and present again, so that the service need not
/// store them.
///
/// A client cannot read a ticket. A modified ticket, or one that is presented in another container
/// or for another purpose, is refused.
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
    ///   - purpose: each kind of ticket has its own.
    ///   - subject: bytes to which the ticket is also bound.
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

    /// The bytes that were sealed; `nil` if this is not a ticket of this container, purpose and
    /// subject.
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
