import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Foundation
import Testing

/// A log composed by `Golden/log.py`, without Bulla.
@Suite struct `A segment of another implementation` {
    private struct Missing: Error { let field: String }

    /// One block of the file.
    private struct Vector {
        let fields: [String: String]

        func text(_ name: String) throws -> String {
            guard let text = fields[name] else { throw Missing(field: name) }
            return text
        }

        func bytes(_ name: String) throws -> [UInt8] {
            let digits = Array(try text(name))
            return try stride(from: 0, to: digits.count, by: 2).map { index in
                guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else {
                    throw Missing(field: name)
                }
                return byte
            }
        }

        func identifier(_ name: String) throws -> Identifier {
            try bytes(name).withView { Identifier($0, at: 0) }
        }

        func number<T: FixedWidthInteger>(_ name: String) throws -> T {
            guard let number = T(try text(name)) else { throw Missing(field: name) }
            return number
        }
    }

    private static func vectors() throws -> [Vector] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Golden/v1-log.txt")
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("#") }
        return lines.split(separator: "").map { block in
            let pairs = block.map { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                return (parts[0], parts[1])
            }
            return Vector(fields: Dictionary(uniqueKeysWithValues: pairs))
        }
    }

    @Test func `is read as it was composed`() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count == Suite.allCases.count)
        for vector in vectors {
            let suite = try #require(Suite(rawValue: try vector.number("suite")))
            let file = try vector.bytes("file").withView { FileIdentifier($0) }
            let identity = LogIdentity(
                fileIdentifier: file, suite: suite, history: try vector.identifier("history"))
            let random = try vector.bytes("random").withView { SegmentRandom($0) }
            if suite == .plain {
                try readHeader(vector, identity, try identity.plainHeaderCipher())
                try readFrames(vector, try identity.plainFrameCipher(of: random))
            } else {
                try vector.bytes("master").withBytes { bytes in
                    let master = try MasterSecret(copying: bytes, fileIdentifier: file)
                    try readHeader(vector, identity, try identity.headerCipher(under: master))
                    try readFrames(vector, try identity.frameCipher(of: random, under: master))
                }
            }
        }
    }

    private func readHeader(
        _ vector: Vector, _ identity: LogIdentity, _ cipher: PageCipher
    ) throws {
        let durable = try vector.text("durable").split(separator: " ").compactMap { UInt64($0) }
        let expected = SegmentHeader(
            random: try vector.bytes("random").withView { SegmentRandom($0) },
            world: try vector.identifier("world"), sequence: try vector.number("sequence"),
            previous: try LogFixture.tag(try vector.bytes("previous")), durableCommit: durable[0],
            durablePlace: LogPlace(sequence: durable[1], offset: durable[2]))
        let seal = SegmentSeal(identity, cipher)
        let (first, second) = (try vector.bytes("first"), try vector.bytes("second"))
        #expect(first.count == SegmentField.byteCount)
        let finding = try first.withView { first in
            try second.withView { second in
                try seal.find((first, second), half: 1, segment: try vector.number("segment"))
            }
        }
        #expect(finding == .headers([expected]))
    }

    private func readFrames(_ vector: Vector, _ cipher: FrameCipher) throws {
        let frames = try vector.bytes("frames")
        let reader = FrameReader(cipher, sequence: try vector.number("sequence"))
        let start: UInt64 = try vector.number("segment")
        var previous = try LogFixture.tag(try vector.bytes("previous"))
        var (place, number) = (0, 0)
        let room = try ScratchBuffer(byteCount: frames.count)
        while place < frames.count {
            let rest = Array(frames[place...])
            let frame = try rest.withView { rest in
                try reader.find(
                    in: rest, at: start + SegmentHeader.frameOffset + UInt64(place),
                    limit: UInt64(rest.byteCount), after: previous
                ) { count throws(BullaError) in room.bytes.slice(0, count) }.frame
            }
            let found = try #require(frame)
            #expect(try told(found) == (try vector.text("frame\(number)")))
            previous = found.tag
            (place, number) = (place + found.byteCount, number + 1)
        }
        #expect(number == 7)
    }

    /// The content of a frame, in the notation of the file.
    private func told(_ frame: LogFrame) throws -> String {
        let head = "\(frame.kind.rawValue) \(frame.commit) \(frame.durable) \(frame.byteCount):"
        if frame.kind == .root {
            let record = try frame.root(PageFormat(pageByteCount: 4096))
            return head
                + " record \(record.commit) pages \(record.pageCount) flush \(record.flush)"
        }
        let told = try frame.allOperations().map(\.told).joined(separator: "; ")
        return told.isEmpty ? head : head + " " + told
    }
}

extension LogOperation {
    fileprivate var told: String {
        func hex(_ view: ByteView) -> String {
            view.copied().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let text =
            switch self {
            case .put(let tree, let key, let value): "put \(tree) \(hex(key)) \(hex(value))"
            case .delete(let tree, let key): "delete \(tree) \(hex(key))"
            case .createTree(let tree, let name): "create \(tree) \(hex(name))"
            case .dropTree(let tree, let name): "drop \(tree) \(hex(name))"
            case .renameTree(let tree, let name, let newName):
                "rename \(tree) \(hex(name)) \(hex(newName))"
            }
        return text.trimmingCharacters(in: .whitespaces)
    }
}
