import BullaBenchKit
import BullaText
import Foundation
import Testing

@Suite struct `A temporary folder` {
    @Test func `goes away with what is in it`() throws {
        var path = ""
        do {
            let scratch = try Scratch(under: "/tmp", isKept: false)
            path = scratch.path
            try Descriptor.create(scratch.file("a")).write([1])
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `of a run that was killed is removed by the next one, and no other`() throws {
        let outer = try Scratch(under: "/tmp", isKept: false)
        let abandoned = outer.file("bulla-bench-dead")
        try FileManager.default.createDirectory(
            atPath: abandoned, withIntermediateDirectories: false)
        try Descriptor.create(abandoned + "/owner").write([])
        let alive = try Scratch(under: outer.path, isKept: false)
        let next = try Scratch(under: outer.path, isKept: false)
        #expect(!FileManager.default.fileExists(atPath: abandoned))
        #expect(FileManager.default.fileExists(atPath: alive.path))
        #expect(FileManager.default.fileExists(atPath: next.path))
    }
}
