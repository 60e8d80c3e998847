/// What an encoder does not do; the container that is asked makes it an `EncodingError`.
enum EncodingRefusal: String, Error {
    case late = "a container was used after what it belongs to had been encoded"
    case mixed = "an item cannot be of two kinds"
    case second = "an item has been encoded already"
    case tooDeep = "items are nested more than 64 deep"
    case wide = "integers of more than 64 bits cannot be encoded"
}

/// How far values may be nested, so that none exhausts a stack.
enum EntityLimit {
    /// Calls of `encode(to:)` or `init(from:)` in one another.
    ///
    /// An array or a map needs one or two, so with ``CBORCheck/depthLimit`` of them this is reached
    /// only by types that hand themselves on.
    static let nestedCalls = 4 * CBORCheck.depthLimit
}
