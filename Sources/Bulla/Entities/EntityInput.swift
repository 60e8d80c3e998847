internal import BullaMemory

/// The bytes that one decoding reads, for as long as they are lent.
final class EntityInput {
    let userInfo: [CodingUserInfoKey: Any]
    /// `nil` once the bytes have gone back to their owner.
    private var lent: ByteView?
    private var nesting = 0

    init(_ view: ByteView, userInfo: [CodingUserInfoKey: Any]) {
        lent = view
        self.userInfo = userInfo
    }

    /// Refuses every container that is still about.
    func end() { lent = nil }

    var view: ByteView {
        get throws(DecodingRefusal) {
            guard let lent else { throw .late }
            return lent
        }
    }

    /// Runs the decoding of a value inside another, of which there are not too many.
    func nest<R>(_ body: () throws -> R) throws -> R {
        guard nesting < EntityLimit.nestedCalls else { throw DecodingRefusal.tooDeep }
        nesting += 1
        defer { nesting -= 1 }
        return try body()
    }
}

/// Why an item does not become a value; the container that is asked makes it a `DecodingError`.
enum DecodingRefusal: String, Error {
    case absent = "there is no such key"
    case null = "null stands where a value is expected"
    case ended = "there are no more items"
    case mismatch = "an item of another kind stands there"
    case inexact = "the number does not fit"
    case late = "a container was used after the entity had been decoded"
    case tooDeep = "values are nested too deep"
    case composite = "the type decodes itself"
    case damaged = "the bytes are no entity"
}
