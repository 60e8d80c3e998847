import BullaMemory
package import BullaRecords
internal import BullaText

/// Makes and opens tickets, which clients store for the service and send back.
///
/// A ticket is sealed bytes, as text that needs no escape in an address. The bytes before sealing:
///
///     bytes  field
///         8  when the ticket expires: milliseconds since 1970
///         n  its contents
package struct WebTickets: Sendable {
    package enum Purpose: String, CaseIterable, Sendable {
        /// Allows sending a file for a field.
        case upload
        /// Identifies a file that was sent for a field, or that a record already holds.
        case receipt
        /// Allows reading a file.
        case download
        /// Allows waiting for changes.
        case courier
        /// Takes the place of a program's token in requests from the console.
        case console
    }

    package enum Fault: Error {
        /// The ticket is for another purpose or place, or was modified.
        case foreign
        /// The ticket has expired.
        case over
        case failed(RecordError)
    }

    let core: RecordCore
    let clock: WebService.Clock

    private static let byteLimit = 4_096

    package init(_ core: RecordCore, _ clock: @escaping WebService.Clock) {
        (self.core, self.clock) = (core, clock)
    }

    /// Makes a ticket that is valid from now on.
    ///
    /// - Parameter lifetime: how long it is valid, in milliseconds.
    package func text(
        _ purpose: Purpose, _ body: [UInt8], lifetime: Int64
    ) throws(RecordError) -> String {
        let (end, isBeyond) = clock().addingReportingOverflow(lifetime)
        var bytes: [UInt8] = []
        bytes.append(number: isBeyond ? .max : end)
        bytes += body
        return Base64.text(try core.tickets(for: purpose.rawValue).seal(bytes), form: .address)
    }

    /// The contents of a ticket that a client has sent.
    package func body(_ purpose: Purpose, _ text: String) throws(Fault) -> [UInt8] {
        guard text.utf8.count <= Self.byteLimit,
            let bytes = Base64.bytes(text.utf8, form: .address)
        else { throw .foreign }
        let opened: [UInt8]?
        do throws(RecordError) {
            opened = try core.tickets(for: purpose.rawValue).open(bytes)
        } catch { throw .failed(error) }
        guard let opened, let end = opened.withView({ $0.number }) else { throw .foreign }
        guard clock() < end else { throw .over }
        return Array(opened.dropFirst(8))
    }
}

extension ByteView {
    fileprivate var number: Int64? {
        var cursor = ByteCursor(self)
        return cursor.next(Int64.self)
    }
}

extension WebError {
    /// The error for an address with an invalid ticket.
    init(_ fault: WebTickets.Fault) {
        switch fault {
        case .foreign: self.init(.accessDenied, "the service did not make this address")
        case .over: self.init(.accessDenied, "the address has expired: ask for another")
        case .failed(let error): self.init(error)
        }
    }
}
