import Bulla
import BullaTestSupport
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
            #expect(try key.withBytes { $0.equals(bytes) })
        }
    }

    @Test func `is taken from a source as bytes or as hexadecimal digits`() throws {
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        for form in [bytes, Array(digits.utf8), Array((digits.uppercased() + "\n").utf8)] {
            try writeKey(form)
            let source = FileKeySource(scratch.path("key"), trimsNewline: false)
            let key = try StoreKey(from: source)
            #expect(try key.withBytes { $0.equals(bytes) })
        }
        let trimmed = [UInt8](repeating: 9, count: 63)
        try writeKey(trimmed + [UInt8(ascii: "\n")])
        let error = refusal { _ = try StoreKey(from: FileKeySource(scratch.path("key"))) }
        #expect(error?.code == .invalidKeyLength && error.says("63 bytes"))
        #expect(error.says("file \(scratch.path("key"))"))
    }

    @Test func `of 128 characters that are no digits is refused`() throws {
        try writeKey(Array(String(repeating: "g", count: 128).utf8))
        #expect(refusal { _ = try StoreKey(contentsOfFile: scratch.path("key")) } != nil)
    }

    @Test func `is not taken from a file whose path ends before the path that was given`() throws {
        try writeKey(bytes)
        let path = scratch.path("key")
        for source in [path + "\u{0}", path + "\u{0}.other"] {
            let error = refusal { _ = try StoreKey(contentsOfFile: source) }
            #expect(error?.code == .invalidArgument && error.says("a zero byte"))
        }
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o666, 0o602])
    func `in a file that others may read is refused`(mode: Int) throws {
        try writeKey(bytes, mode: mode)
        let error = refusal { _ = try StoreKey(contentsOfFile: scratch.path("key")) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser gives files away"))
    func `in a file of somebody else's is refused, also behind a link`() throws {
        try writeKey(bytes)
        let path = scratch.path("key")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("link"), withDestinationPath: path)
        _ = try StoreKey(contentsOfFile: scratch.path("link"))
        try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: path)
        for name in ["key", "link"] {
            let error = refusal { _ = try StoreKey(contentsOfFile: scratch.path(name)) }
            #expect(error?.code == .keyFileOwner && error.says("65534"))
        }
    }

    @Test func `is read from a descriptor to its end`() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(bytes))
        try pipe.fileHandleForWriting.close()
        let key = try StoreKey(readingFrom: pipe.fileHandleForReading.fileDescriptor)
        #expect(try key.withBytes { $0.equals(bytes) })
    }

    @Test func `is taken in a task from a file, a descriptor and a source`() async throws {
        try writeKey(bytes)
        let path = scratch.path("key")
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(bytes))
        try pipe.fileHandleForWriting.close()
        let keys = [
            try await StoreKey(contentsOfFile: path),
            try await StoreKey(readingFrom: pipe.fileHandleForReading.fileDescriptor),
            try await StoreKey(from: FileKeySource(path, trimsNewline: false)),
        ]
        for key in keys { #expect(try key.withBytes { $0.equals(bytes) }) }
        try writeKey(Array(bytes.prefix(63)))
        let error = await refusal { _ = try await StoreKey(contentsOfFile: path) }
        #expect(error?.code == .invalidKeyLength)
    }

    @Test func `is read from a pipe that has a name`() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(bytes))
        try pipe.fileHandleForWriting.close()
        let name = "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let key = try StoreKey(contentsOfFile: name)
        #expect(try key.withBytes { $0.equals(bytes) })
    }

    @Test func `is not waited for without a limit where nothing comes through a pipe`() throws {
        try SpecialFile.makePipe(at: scratch.path("fifo"))
        let error = refusal {
            _ = try StoreKey(contentsOfFile: scratch.path("fifo"), timeout: .milliseconds(20))
        }
        #expect(error?.code == .busy)
        #expect(error.says("fifo"))
        // Now a pipe that stays open, and has given only half of a key.
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(bytes.prefix(32)))
        let reader = pipe.fileHandleForReading.fileDescriptor
        #expect(
            refusal { _ = try StoreKey(readingFrom: reader, timeout: .milliseconds(20)) }?.code
                == .busy)
        try pipe.fileHandleForWriting.close()
    }

    @Test func `is not taken from a directory, a device or a socket, which is named`() throws {
        try FileManager.default.createDirectory(
            atPath: scratch.path("folder"), withIntermediateDirectories: false)
        let socket = try SpecialFile.Socket(at: scratch.path("socket"))
        defer { withExtendedLifetime(socket) {} }
        for (name, what) in [
            (scratch.path("folder"), "a directory"), ("/dev/zero", "a device"),
            (scratch.path("socket"), "a socket"),
        ] {
            let error = refusal { _ = try StoreKey(contentsOfFile: name) }
            #expect(error?.code == .invalidArgument)
            #expect(error.says(name) && error.says(what))
        }
    }

    @Test func `that is invalid is refused with the most likely cause`() throws {
        let digits = String(repeating: "0a", count: 64)
        for (text, remedy) in [
            (Data(bytes) + Data([0x0A]), "head -c 64"), (Data(), "it is empty"),
            (Data((digits + "0").utf8), "129 hexadecimal digits"),
            (Data(digits.dropLast().utf8), "127 hexadecimal digits"),
            (Data(Data(bytes).base64EncodedString().utf8), "base64"),
        ] {
            try writeKey(Array(text))
            let error = refusal { _ = try StoreKey(contentsOfFile: scratch.path("key")) }
            #expect(error?.code == .invalidKeyLength)
            #expect(error.says(remedy), "\(String(describing: error))")
        }
        try writeKey(bytes, mode: 0o644)
        let error = refusal { _ = try StoreKey(contentsOfFile: scratch.path("key")) }
        #expect(error.says("chmod 600 "))
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
