/// One thing that is asked of a store; keys and values are places in a lane's runs of them.
enum Operation {
    case read(key: Int)
    case scan(key: Int, limit: Int)
    /// Puts what is there or not.
    case put(key: Int, value: Int)
    /// Reads what is there and puts its new value, in one transaction: an update of one field.
    case update(key: Int, value: Int)
    /// Reads in a snapshot, then updates.
    case readModifyWrite(key: Int, value: Int)
    case delete(key: Int)
}
