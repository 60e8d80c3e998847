import BullaText
import Testing

@Suite struct `A line of a trace` {
    @Test(arguments: [
        TraceLine(.read, Array("user1".utf8)), TraceLine(.put, [0, 32, 37, 255], 0),
        TraceLine(.update, Array("%41".utf8), 64 << 20), TraceLine(.scan, [1], 100),
        TraceLine(.delete, Array(repeating: 7, count: 1_024)),
    ])
    func `says each operation in a line of its own`(line: TraceLine) {
        #expect(TraceLine(line.text[...]) == line)
        #expect(line.text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }

    @Test(arguments: [
        "", "read", "read a b", "put a", "put a -1", "put a 99999999999", "scan a 0", "write a 1",
        "read %4", "read %zz", "delete %",
    ])
    func `has no other lines`(text: String) {
        #expect(TraceLine(text[...]) == nil)
    }
}
