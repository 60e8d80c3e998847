import Bulla
import Foundation
import Testing

@Suite struct `A key` {
    private let scratch: Scratch
    private let bytes = StoreKind.keyBytes

    init() throws { scratch = try Scratch() }

    @Test(arguments: [0, 1, 32, 63, 65, 127, 129, 5000])
    func `19. of another length than 64 bytes is refused with both lengths`(count: Int) throws {
        let wrong = [UInt8](repeating: 9, count: count)
        let error = refusal { _ = try StoreKey(wrong) }
        #expect(error?.code == .invalidKeyLength)
        #expect(error.says("\(count) bytes"))
        #expect(error.says("64"))
        let lent = refusal { try wrong.withBytes { _ = try StoreKey($0) } }
        #expect(lent?.code == .invalidKeyLength)
    }

    @Test(arguments: [0, 32, 63, 65, 127, 129])
    func `in a file of another length is refused`(count: Int) throws {
        try writeKey([UInt8](repeating: 9, count: count))
        let error = refusal { _ = try StoreKey(contentsOfFile: scratch.path("key")) }
        #expect(error?.code == .invalidKeyLength)
    }

    @Test func `is taken from a file as bytes or as hexadecimal digits`() throws {
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        for form in [bytes, Array(digits.utf8), Array((digits.uppercased() + "\n").utf8)] {
            try writeKey(form)
            let key = try StoreKey(contentsOfFile: scratch.path("key"))
            #expect(key.withBytes { $0.equals(bytes) })
        }
    }

    @Test func `of 128 characters that are no digits is refused`() throws {
        try writeKey(Array(String(repeating: "g", count: 128).utf8))
        #expect(refusal { _ = try StoreKey(contentsOfFile: scratch.path("key")) } != nil)
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o666, 0o602])
    func `in a file that others may read is refused`(mode: Int) throws {
        try writeKey(bytes, mode: mode)
        let error = refusal { _ = try StoreKey(contentsOfFile: scratch.path("key")) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `is read from a descriptor to its end`() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(bytes))
        try pipe.fileHandleForWriting.close()
        let key = try StoreKey(readingFrom: pipe.fileHandleForReading.fileDescriptor)
        #expect(key.withBytes { $0.equals(bytes) })
    }

    @Test func `is new each time that a random one is made`() throws {
        let keys = try (0..<8).map { _ in try StoreKey.random().withBytes { $0.copied() } }
        #expect(Set(keys).count == 8)
        #expect(keys.allSatisfy { $0.count == 64 })
    }

    @Test func `does not print itself`() throws {
        let key = try StoreKey(bytes)
        let texts = [
            "\(key)", String(reflecting: key), "\(Mirror(reflecting: key).children.count)",
        ]
        for text in texts {
            #expect(!text.contains("7, 10, 13"))
            #expect(!text.contains("070a0d"))
        }
    }

    private func writeKey(_ bytes: [UInt8], mode: Int = 0o600) throws {
        try scratch.write(bytes, to: "key")
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: scratch.path("key"))
    }
}
