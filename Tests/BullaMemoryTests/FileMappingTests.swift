import BullaMemory
import Foundation
import Testing

@Suite struct `Mappings of files` {
    /// In a process of its own: no other test could map anything meanwhile.
    @Test func `are refused as too much memory where more are than can be watched`() async {
        await #expect(processExitsWith: .success) {
            let file = try #require(FileHandle(forReadingAtPath: "/proc/self/exe"))
            var kept: [KeptMapping] = []
            let error = #expect(throws: MemoryError.self) {
                while kept.count < 1 << 15 {
                    kept.append(
                        KeptMapping(
                            try FileMapping(
                                descriptor: file.fileDescriptor, offset: 0,
                                byteCount: machinePageByteCount, isWritable: false)))
                }
            }
            #expect(error?.isShortage == true, "\(error as Any) after \(kept.count)")
        }
    }
}

/// An array cannot hold a noncopyable mapping, so a class does.
private final class KeptMapping {
    private let mapping: FileMapping
    init(_ mapping: consuming FileMapping) { self.mapping = mapping }
}
