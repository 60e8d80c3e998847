/// The lines of an input, without their line breaks.
package struct InputLines {
    private let input: [UInt8]
    private var place = 0

    /// The number of the line that ``next()`` gave last, counted from 1.
    package private(set) var number = 0

    package init(_ input: [UInt8]) {
        self.input = input
    }

    package mutating func next() -> ArraySlice<UInt8>? {
        guard place < input.count else { return nil }
        let end = input[place...].firstIndex(of: UInt8(ascii: "\n")) ?? input.count
        var line = input[place..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        place = end + 1
        number += 1
        return line
    }
}
