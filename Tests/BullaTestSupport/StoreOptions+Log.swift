package import Bulla

extension Store {
    /// Has the trees take over all that the log says.
    package func takeOverLog() throws { while try checkpoint() {} }
}

extension StoreOptions {
    /// Gives the halves of a new store's log a length that they keep.
    package mutating func fixLog(halfByteCount: UInt64) {
        logHalfByteCount = halfByteCount
        logHalfByteLimit = halfByteCount
    }
}
