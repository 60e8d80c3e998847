/// How much one request and its answer may have, and how long what clients keep is good.
package struct WebLimits: Hashable, Sendable {
    /// Bytes of a request's body.
    package var requestByteCount = 16 << 20
    /// Bytes of an answer: from there on it has fewer records, and a mark to go on from.
    package var answerByteCount = 4 << 20
    package var wire = WireLimits()

    /// How long a file can be sent to an address of `assets/upload`, in milliseconds.
    package var uploadLifetime: Int64 = 15 * 60_000
    /// How long what was sent can be saved: no longer than chunks wait for a record.
    package var receiptLifetime: Int64 = 3_600_000
    /// How long a file can be read at the address that a record was read with.
    package var downloadLifetime: Int64 = 3_600_000
    /// Bytes of the headers of one part of a form.
    package var partHeaderByteCount = 8 << 10
    /// Bytes that a form may have besides its file.
    package var formByteCount: UInt64 = 64 << 10

    /// How long changes can be waited for with a token of `tokens/create`, in milliseconds.
    package var courierLifetime: Int64 = 86_400_000
    /// How long a client waits for them at once.
    package var courierWait = Duration.seconds(50)
    /// Clients that wait at the same time, of all users and of one.
    package var waiterCount = 1_000
    package var accountWaiterCount = 16
    /// Tokens of which the courier remembers what they were told.
    package var toldTokenCount = 10_000

    package init() {}

    /// The bytes that a form with a file may have.
    func formByteCount(around assetByteLimit: UInt64) -> UInt64 {
        let (count, isBeyond) = assetByteLimit.addingReportingOverflow(formByteCount)
        return isBeyond ? .max : count
    }
}
