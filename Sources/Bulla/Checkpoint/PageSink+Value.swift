internal import BullaMemory

/// Values that do not fit in a leaf.
extension PageSink {
    /// How many value pages are sealed together.
    private static let batchPageCount = 128

    /// Writes a value of at least one byte to pages of its own.
    func write(_ value: ByteView) throws(BullaError) -> LargeValue {
        invariant(value.byteCount > 0, "a value in pages of its own has at least one byte")
        var pointers = try writePages(of: value)
        var level = 0
        while pointers.count > 1 {
            level += 1
            let count = pointers.count
            pointers = try writeIndex(of: pointers, level: level)
            invariant(pointers.count < count, "an index has fewer pages than it names")
        }
        return LargeValue(byteCount: UInt64(value.byteCount), height: level, root: pointers[0])
    }

    private func writePages(of value: ByteView) throws(BullaError) -> [PagePointer] {
        let unit = format.contentByteCount
        let wholeByteCount = value.byteCount / unit * unit
        var pointers: [PagePointer] = []
        for start in stride(from: 0, to: wholeByteCount, by: unit * Self.batchPageCount) {
            let end = min(start + unit * Self.batchPageCount, wholeByteCount)
            let contents = stride(from: start, to: end, by: unit).map { value.slice($0, unit) }
            pointers += try write(contents, .value)
        }
        let rest = value.slice(wholeByteCount, value.byteCount - wholeByteCount)
        guard rest.byteCount > 0 else { return pointers }
        return pointers
            + (try writeComposed(.value) { content in
                content.copy(rest, to: 0)
                content.fill(rest.byteCount, unit - rest.byteCount)
            })
    }

    private func writeIndex(
        of pointers: [PagePointer], level: Int
    ) throws(BullaError) -> [PagePointer] {
        let fanOut = LargeValue.fanOut(format)
        var parents: [PagePointer] = []
        for start in stride(from: 0, to: pointers.count, by: fanOut) {
            let children = pointers[start..<min(start + fanOut, pointers.count)]
            parents += try writeComposed(.valueIndex) { content in
                ValueIndexPage.write(children, level: level, content)
            }
        }
        return parents
    }

    private func writeComposed(
        _ kind: PageKind, _ compose: (MutableByteView) -> Void
    ) throws(BullaError) -> [PagePointer] {
        try pager.scratch.lend { page throws(BullaError) in
            let content = page.slice(0, format.contentByteCount)
            compose(content)
            return try write([content.view], kind)
        }
    }
}
