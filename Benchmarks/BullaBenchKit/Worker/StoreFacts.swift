/// What a store turned out to be.
package struct StoreFacts: Codable, Sendable, Equatable {
    package var pageByteCount: Int
    package var suite: String
}
