/// Writes an answer: an object with the members that `body` writes.
package func answer(
    _ byteCapacity: Int = 256, _ body: (inout JSONWriter) -> Void
) -> [UInt8] {
    var writer = JSONWriter(byteCapacity: byteCapacity)
    writer.beginObject()
    body(&writer)
    writer.endObject()
    return writer.bytes
}

extension JSONWriter {
    package mutating func list<T>(
        _ key: String, _ items: [T], _ body: (T, inout JSONWriter) -> Void
    ) {
        self.key(key)
        beginArray()
        for item in items { body(item, &self) }
        endArray()
    }
}
