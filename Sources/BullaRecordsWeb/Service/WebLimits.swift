/// The limits of one request and its answer, the lifetimes of what clients store, and the limits of
/// waiting for changes.
package struct WebLimits: Hashable, Sendable {
    /// The maximum length of a request's body in bytes.
    package var requestByteCount = 16 << 20
    /// An answer that would be longer than this, in bytes, is shortened: a page of records, for
    /// example, gets fewer records, and a mark from which the client can continue.
    package var answerByteCount = 4 << 20
    package var wire = WireLimits()

    /// How long an address from `assets/upload` can be used to send a file, in milliseconds.
    package var uploadLifetime: Int64 = 15 * 60_000
    /// How long after its upload a file can be saved in a record, in milliseconds.
    ///
    /// It must not exceed the time for which the core keeps chunks that no record holds.
    package var receiptLifetime: Int64 = 3_600_000
    /// How long a file can be read at the address that came with a record, in milliseconds.
    package var downloadLifetime: Int64 = 3_600_000
    /// The maximum length of the headers of one part of a form, in bytes.
    package var partHeaderByteCount = 8 << 10
    /// The maximum number of bytes that a form can have in addition to its file.
    package var formByteCount: UInt64 = 64 << 10

    /// How long a token from `tokens/create` can be used to wait for changes, in milliseconds.
    package var courierLifetime: Int64 = 86_400_000
    /// How long a client waits for changes in one request.
    package var courierWait = Duration.seconds(50)
    /// The maximum number of clients that can wait at once, for all users together.
    package var waiterCount = 1_000
    /// The maximum number of one user's clients that can wait at once.
    package var accountWaiterCount = 16
    /// The maximum number of tokens whose last notices the courier remembers.
    package var toldTokenCount = 10_000

    package init() {}

    /// The maximum length of a form that contains a file, in bytes.
    func formByteCount(around assetByteLimit: UInt64) -> UInt64 {
        let (count, isBeyond) = assetByteLimit.addingReportingOverflow(formByteCount)
        return isBeyond ? .max : count
    }
}
