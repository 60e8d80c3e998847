/// The limits of one request and its answer, and the lifetimes of what clients store.
package struct WebLimits: Hashable, Sendable {
    /// The most bytes of a request's body.
    package var requestByteCount = 16 << 20
    /// The size in bytes beyond which an answer has fewer records, and a mark to continue from.
    package var answerByteCount = 4 << 20
    package var wire = WireLimits()

    /// How long a file can be sent to an address of `assets/upload`, in milliseconds.
    package var uploadLifetime: Int64 = 15 * 60_000
    /// How long an uploaded file can be saved in a record: at most as long as the store keeps its
    /// chunks without one.
    package var receiptLifetime: Int64 = 3_600_000
    /// How long a file can be read at the address that came with a record.
    package var downloadLifetime: Int64 = 3_600_000
    /// The most bytes of the headers of one part of a form.
    package var partHeaderByteCount = 8 << 10
    /// The most bytes that a form can have besides its file.
    package var formByteCount: UInt64 = 64 << 10

    /// How long a token of `tokens/create` can be used to wait for changes, in milliseconds.
    package var courierLifetime: Int64 = 86_400_000
    /// How long a client waits for changes in one request.
    package var courierWait = Duration.seconds(50)
    /// The most clients that can wait at once: of all users together, and of one user.
    package var waiterCount = 1_000
    package var accountWaiterCount = 16
    /// The number of tokens whose last notices the courier remembers.
    package var toldTokenCount = 10_000

    package init() {}

    /// The most bytes of a form with a file.
    func formByteCount(around assetByteLimit: UInt64) -> UInt64 {
        let (count, isBeyond) = assetByteLimit.addingReportingOverflow(formByteCount)
        return isBeyond ? .max : count
    }
}
