import Bulla
import BullaTestSupport
import Foundation
import Testing

@Suite struct `A secret in a file` {
    private let scratch: Scratch
    private let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.path("key")
    }

    private func write(_ bytes: [UInt8], mode: Int = 0o600) throws {
        try scratch.write(bytes, to: "key")
        try scratch.setMode(mode, of: "key")
    }

    private func bytes(of source: some KeySource) throws -> [UInt8] {
        try source.load().withBytes { $0.copied() }
    }

    @Test(arguments: [0o600, 0o400, 0o700])
    func `is taken where the file is its owner's alone`(mode: Int) throws {
        try write(StoreKind.keyBytes, mode: mode)
        #expect(try bytes(of: FileKeySource(path)) == StoreKind.keyBytes)
    }

    @Test(arguments: [
        ("open sesame\n", "open sesame"), ("open sesame\n\n", "open sesame\n"),
        ("open sesame\r\n", "open sesame\r"), ("\nopen", "\nopen"), ("open ", "open "),
    ])
    func `is taken without one newline at its end, or as it is`(
        written: String, taken: String
    ) throws {
        try write(Array(written.utf8))
        #expect(try bytes(of: FileKeySource(path)) == Array(taken.utf8))
        #expect(
            try bytes(of: FileKeySource(path, trimsNewline: false)) == Array(written.utf8))
    }

    @Test func `has at most 4096 bytes, and a newline`() throws {
        let most = [UInt8](repeating: 7, count: 4096)
        try write(most + [0x0A])
        #expect(try bytes(of: FileKeySource(path)) == most)
        for longer in [most + [7], most + [7, 0x0A], most + most] {
            try write(longer)
            #expect(refusal { _ = try FileKeySource(path).load() }?.code == .invalidArgument)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o666, 0o620, 0o601])
    func `is refused where others have any right to the file`(mode: Int) throws {
        try write(StoreKind.keyBytes, mode: mode)
        let error = refusal { _ = try FileKeySource(path).load() }
        #expect(error?.code == .keyFileMode)
        #expect(error.says("chmod 600 \(path)"))
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser gives files away"))
    func `is refused where the file is somebody else's`() throws {
        try write(StoreKind.keyBytes)
        try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: path)
        let error = refusal { _ = try FileKeySource(path).load() }
        #expect(error?.code == .keyFileOwner)
        #expect(error.says("65534"))
    }

    @Test func `is refused where a link stands in the file's place`() throws {
        try write(StoreKind.keyBytes)
        for target in [path, scratch.path("nothing")] {
            let link = scratch.path("link")
            try? scratch.remove("link")
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: target)
            let error = refusal { _ = try FileKeySource(link).load() }
            #expect(error?.code == .keyFileLink)
            #expect(error.says(link))
        }
    }

    @Test func `is refused where there is no file, or nothing in it`() throws {
        #expect(refusal { _ = try FileKeySource(path).load() }?.code == .keySourceMissing)
        try write([])
        #expect(refusal { _ = try FileKeySource(path).load() }?.code == .keySourceEmpty)
        try write([0x0A])
        #expect(refusal { _ = try FileKeySource(path).load() }?.code == .keySourceEmpty)
        #expect(try bytes(of: FileKeySource(path, trimsNewline: false)) == [0x0A])
    }

    @Test func `is refused in a directory, a device, a socket, and under half of a path`() throws {
        let socket = try SpecialFile.Socket(at: scratch.path("socket"))
        defer { withExtendedLifetime(socket) {} }
        try write(StoreKind.keyBytes)
        for name in [scratch.folder, "/dev/zero", scratch.path("socket"), "\(path)\0.pub"] {
            #expect(refusal { _ = try FileKeySource(name).load() }?.code == .invalidArgument)
        }
        // A file where a folder should be is an error, not a missing key.
        #expect(refusal { _ = try FileKeySource("\(path)/key").load() }?.code == .io)
    }

    @Test func `is not waited for without a limit in a pipe`() throws {
        try SpecialFile.makePipe(at: scratch.path("fifo"))
        let source = FileKeySource(scratch.path("fifo"), timeout: .milliseconds(20))
        #expect(refusal { _ = try source.load() }?.code == .busy)
    }

    @Test func `is taken from a pipe that has a name`() throws {
        try SpecialFile.makePipe(at: scratch.path("fifo"))
        let path = scratch.path("fifo")
        let thread = Thread {
            // Opening the pipe for writing waits until the source has opened it.
            let writer = FileHandle(forWritingAtPath: path)
            try? writer?.write(contentsOf: Data("open sesame\n".utf8))
            try? writer?.close()
        }
        thread.start()
        let source = FileKeySource(path, timeout: TestMode.patience)
        #expect(try bytes(of: source) == Array("open sesame".utf8))
    }
}

@Suite struct `A secret behind a descriptor` {
    @Test func `is read to its end, once`() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("open sesame\n".utf8))
        try pipe.fileHandleForWriting.close()
        let source = DescriptorKeySource(pipe.fileHandleForReading.fileDescriptor)
        #expect(try source.load().withBytes { $0.copied() } == Array("open sesame".utf8))
        #expect(refusal { _ = try source.load() }?.code == .keySourceEmpty)
    }

    @Test func `is refused where nothing is open, and where no end comes`() throws {
        #expect(refusal { _ = try DescriptorKeySource(-1).load() }?.code == .keySourceMissing)
        #expect(
            refusal { _ = try DescriptorKeySource(1 << 29).load() }?.code == .keySourceMissing)
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("open".utf8))
        let source = DescriptorKeySource(
            pipe.fileHandleForReading.fileDescriptor, timeout: .milliseconds(20))
        #expect(refusal { _ = try source.load() }?.code == .busy)
        try pipe.fileHandleForWriting.close()
    }
}
