import BullaBenchKit
import Foundation
import Testing

@Suite struct `A result from a file` {
    @Test func `is the one that was written`() throws {
        let result = try SampleResult().made()
        let read = try ResultFile.result(result.json(), of: "a.json")
        #expect(try read.json() == result.json())
    }

    /// The file comes from the last program that wrote version 2.
    @Test func `of version 2 is read, shown and compared`() throws {
        let folder = try #require(Bundle.module.resourceURL?.path)
        let result = try ResultFile.read(folder + "/Results/version-2.json")
        #expect(result.schemaVersion == 2)
        #expect(result.rows.map(\.workload) == ["point-read", "small-commit"])
        #expect(result.rows[0].input == "ycsb")
        #expect(result.rows[0].figures.map(\.contender) == ["plain", "encrypted"])
        #expect(Int(result.rows[0].figures[0].throughput) == 58_589)
        let comparison = result.rows[1].comparisons[0]
        #expect(comparison.ratio?.lower == 0.9523596699781726)
        #expect(comparison.processorRatio == nil)
        #expect(comparison.verdict == .undecided && result.verdict == .undecided)
        #expect(ResultText.all(result).contains("0.952 - 1.528"))
        #expect(HTMLReport([result]).text.contains("small-commit"))
        #expect(try ResultMerge([.init(name: "a", result: result)]).merged().failure == nil)
        let same = ResultComparison(before: result, after: result, threshold: 0.05)
        #expect(same.lines.allSatisfy { $0.before == $0.after } && same.lines.count == 4)
    }

    @Test func `of before processor time was compared can still be read`() throws {
        let fields = try JSONFields(json: Self.sample().json())
        try fields.editRow { row in
            try row.editFirst("comparisons") {
                ($0["processorRatio"], $0["processorRatios"]) = (nil, nil)
            }
        }
        let read = try ResultFile.result(fields.json(), of: "a.json")
        #expect(read.rows[0].comparisons[0].processorRatio == nil)
        #expect(ResultText.all(read).contains("1.04"))
        #expect(HTMLReport([read]).text.contains("CPU time"))
    }

    @Test func `that is cut anywhere is refused`() throws {
        let bytes = try SampleResult(workloads: ["scan"], stepsPerRound: 10).made().json()
        for length in stride(from: 0, to: bytes.count - 1, by: max(bytes.count / 97, 1)) {
            #expect(throws: BenchError.self) {
                try ResultFile.result(Array(bytes[..<length]), of: "a.json")
            }
        }
    }

    @Test func `of another schema or version is refused with what it is`() throws {
        try expectRefusal("its schema has version 4, expected 2 to 3") { $0["schemaVersion"] = 4 }
        try expectRefusal("its schema has version 1, expected 2 to 3") { $0["schemaVersion"] = 1 }
        try expectRefusal("its schema is other, expected bulla-bench.result") {
            $0["schema"] = "other"
        }
    }

    @Test func `that lacks a field is refused with its name`() throws {
        try expectRefusal("has no field host") { try $0.edit("identity") { $0["host"] = nil } }
    }

    @Test func `with absurd numbers is refused with the place`() throws {
        try expectRefusal("seconds is absurd: -1") { $0["seconds"] = -1 }
        try expectRefusal("there is no shard 8/8") {
            try $0.edit("identity") { $0["shard"] = ["index": 8, "count": 8] }
        }
        try expectRefusal("workers is 0") { try $0.edit("settings") { $0["workers"] = 0 } }
        try expectRefusal("rows[0].figures[0].work is absurd: -5") {
            try $0.editFigures { $0["work"] = -5 }
        }
        try expectRefusal("rows[0].figures[0].rates[1] is absurd: 1e+300") {
            try $0.editFigures { $0["rates"] = [1, 1e300] }
        }
        try expectRefusal("costs.peakWorkerByteCount is absurd: 9223372036854775808") {
            try $0.editFigures {
                try $0.edit("costs") { $0["peakWorkerByteCount"] = UInt64(1) << 63 }
            }
        }
        try expectRefusal("the interval of encrypted / plain in scan on ycsb is not one") {
            try $0.editRow { row in
                try row.editFirst("comparisons") {
                    $0["ratio"] = ["lower": 2, "median": 1, "upper": 3]
                }
            }
        }
        try expectRefusal("a ratio of encrypted / plain in scan on ycsb is absurd: 0.0") {
            try $0.editRow { row in
                try row.editFirst("comparisons") { $0["processorRatios"] = [[0]] }
            }
        }
        try expectRefusal("unknown contender") { try $0.editFigures { $0["contender"] = "x" } }
    }

    @Test(arguments: [[1, 1 << 63], [1], [1, 2, 3], [1, 1 << 51]] as [[UInt64]])
    func `with counts that no run has counted is refused`(pair: [UInt64]) throws {
        try expectRefusal("rows[0].figures[0].latency") {
            try $0.editFigures { $0["latency"] = [pair] }
        }
    }

    @Test func `whose counts overflow together is refused`() throws {
        let pairs = (1...5_000).map { [$0, 1 << 50] }
        try expectRefusal("rows[0].figures[0].latency") {
            try $0.editFigures { $0["latency"] = pairs }
        }
    }

    @Test func `with numbers that no computer knows is refused`() throws {
        let text = String(decoding: try Self.sample().json(), as: UTF8.self)
        for number in ["NaN", "1e999", "9223372036854775807", "-", "\"4\""] {
            let changed = text.replacingOccurrences(
                of: "\"seconds\":150", with: "\"seconds\":\(number)")
            #expect(changed != text)
            #expect(throws: BenchError.self) {
                try ResultFile.result(Array(changed.utf8), of: "a.json")
            }
        }
    }

    private static func sample() throws -> BenchResult {
        try SampleResult(workloads: ["scan"], stepsPerRound: 10).made()
    }

    /// Reads a sample after `edit`, and expects an error that names the file and contains `reason`.
    private func expectRefusal(_ reason: String, _ edit: (JSONFields) throws -> Void) throws {
        let fields = try JSONFields(json: Self.sample().json())
        try edit(fields)
        let error = #expect(throws: BenchError.self) {
            try ResultFile.result(fields.json(), of: "a.json")
        }
        #expect(error?.exit == .input)
        #expect(error?.message.hasPrefix("read a.json: ") == true)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
