package import Bulla

extension Store {
    /// Makes the trees take over everything in the log.
    package func takeOverLog() throws { while try checkpoint() {} }
}

extension StoreOptions {
    /// Gives the halves of a new store's log a fixed length.
    package mutating func fixLog(halfByteCount: UInt64) {
        logHalfByteCount = halfByteCount
        logHalfByteLimit = halfByteCount
    }
}
