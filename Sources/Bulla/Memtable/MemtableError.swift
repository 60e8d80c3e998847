package import BullaMemory

/// Why a memtable cannot take a change, or cannot let a version be held.
package enum MemtableError: Error, Equatable {
    /// The memtable has used all its bytes for pages, or all those for operations.
    case full(byteLimit: Int)
    /// The edit has used all the index pages that it can have.
    case editFull(byteLimit: Int)
    /// The system gave no memory, or no address space.
    case memory(MemoryError)
    /// No more versions can be held at once.
    case tooManyHeld(limit: Int)
    /// Every number for a version has been used.
    case versionsUsedUp
}

extension BullaError {
    /// The error for something that a memtable could not do.
    static func memtable(_ attempt: String, _ error: MemtableError) -> BullaError {
        switch error {
        case .memory(let error): .memory(attempt, error)
        case .full(let limit):
            BullaError(.outOfMemory, "\(attempt): the memtable is full at \(limit) bytes")
        case .editFull(let limit):
            BullaError(
                .outOfMemory, "\(attempt): a transaction's index is full at \(limit) bytes")
        case .tooManyHeld(let limit):
            BullaError(.readersFull, "\(attempt): \(limit) versions are held, which is the limit")
        case .versionsUsedUp:
            BullaError(.outOfMemory, "\(attempt): the memtable has had 4 294 967 295 versions")
        }
    }
}
