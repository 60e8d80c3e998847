import BullaMemory
import Foundation
import Testing

@Suite struct `Mappings of files` {
    /// Runs in a process of its own, so that no other test maps anything meanwhile.
    @Test func `are refused as too much memory where more are than can be watched`() async {
        await #expect(processExitsWith: .success) {
            let file = try MappedProgram()
            var kept: [KeptMapping] = []
            let error = #expect(throws: MemoryError.self) {
                while kept.count < 1 << 15 {
                    kept.append(KeptMapping(try file.map(machinePageByteCount)))
                }
            }
            #expect(error?.isShortage == true, "\(error as Any) after \(kept.count)")
        }
    }

    @Test func `are not shown by a window that was wiped before, even in parts`() throws {
        let file = try MappedProgram()
        for isWiped in [false, true] {
            let (whole, parted) = (try MappedWindow(), try MappedWindow())
            if isWiped {
                whole.wipe()
                parted.wipe()
            }
            whole.add(try file.map(MappedWindow.segmentByteCount), segment: 0)
            #expect(parted.add(try file.map(MappedWindow.partByteCount), partAt: 0))
            for window in [whole, parted] {
                let isShown = window.page(at: 0, byteCount: 4096) != nil
                #expect(isShown != isWiped)
            }
        }
    }
}

/// The running program, as a file that can be mapped.
private struct MappedProgram {
    private let file: FileHandle

    init() throws { file = try #require(FileHandle(forReadingAtPath: "/proc/self/exe")) }

    func map(_ byteCount: Int) throws(MemoryError) -> FileMapping {
        try FileMapping(
            descriptor: file.fileDescriptor, offset: 0, byteCount: byteCount, isWritable: false)
    }
}

/// A class that holds a noncopyable mapping, since an array cannot.
private final class KeptMapping {
    private let mapping: FileMapping
    init(_ mapping: consuming FileMapping) { self.mapping = mapping }
}
