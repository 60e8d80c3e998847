/// What a store turned out to be.
package struct StoreFacts: Codable, Sendable, Equatable {
    package var pageByteCount: Int
    package var suite: String
    /// The pages that hold something, in bytes, when it was opened.
    package var liveByteCount: Int

    package init(pageByteCount: Int, suite: String, liveByteCount: Int) {
        self.pageByteCount = pageByteCount
        self.suite = suite
        self.liveByteCount = liveByteCount
    }
}
