/// Why an item cannot be decoded; the container turns this into a `DecodingError`.
enum DecodingRefusal: String, Error {
    case absent = "there is no such key"
    case null = "null stands where a value is expected"
    case ended = "there are no more items"
    case mismatch = "the item is of another kind"
    case inexact = "the number does not fit"
    case late = "a container was used after the entity had been decoded"
    case tooDeep = "values are nested too deep"
    case composite = "the type decodes itself"
    case damaged = "the bytes are not an entity"
}
