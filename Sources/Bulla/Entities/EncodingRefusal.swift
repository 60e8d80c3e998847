/// Why a value cannot be encoded; the container turns this into an `EncodingError`.
enum EncodingRefusal: String, Error {
    case late = "a container was used after the value that it belongs to had been encoded"
    case mixed = "an item cannot be of two kinds"
    case second = "an item has been encoded already"
    case tooDeep = "items are nested more than 64 deep"
    case wide = "integers of more than 64 bits cannot be encoded"
}

/// How deep values can nest, so that encoding or decoding one never exhausts the stack.
enum EntityLimit {
    /// How many calls of `encode(to:)` or `init(from:)` can be nested.
    ///
    /// Arrays and maps take one or two calls each, and can be nested ``CBORCheck/depthLimit`` deep.
    /// So only types that encode another value in their own place reach this limit.
    static let nestedCalls = 4 * CBORCheck.depthLimit
}
