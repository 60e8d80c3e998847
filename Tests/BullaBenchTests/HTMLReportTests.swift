import BullaBenchKit
import Testing

@Suite struct `A page of results` {
    @Test func `shows every row, contender, input and what was left out`() throws {
        var sample = SampleResult()
        sample.skipped = ["sqlcipher: not installed"]
        let page = try PageText(HTMLReport([sample.made()]).text)
        for text in sample.workloads.map({ "\($0) \u{B7} ycsb" }) + sample.contenders {
            #expect(page.contains(text), "\(text)")
        }
        #expect(page.contains("sqlcipher: not installed"))
        #expect(page.contains("00112233445566778899aabbccddeeff"), "the digest of the input")
    }

    @Test func `says what each contender was set to, and what its figures cost`() throws {
        let page = try PageText(HTMLReport([SampleResult().made()]).text)
        #expect(page.contains("encrypted 1.0; encrypted; cache 64 MiB, durable"))
        #expect(page.contains("12.1 KiB"), "written for each commit")
        #expect(page.contains("93 MiB (11 MiB)"), "memory, and what of it is shared")
    }

    @Test func `says the verdict first, in words`() throws {
        let met = try PageText(HTMLReport([SampleResult().made()]).text)
        #expect(met.headline == "\u{2713} Target met")
        var sample = SampleResult()
        sample.ratios = [1, 1.3]
        let missed = try PageText(HTMLReport([sample.made()]).text)
        #expect(missed.headline == "\u{2717} Target missed")
        sample.roundCount = Verdict.roundMinimum - 1
        let undecided = try PageText(HTMLReport([sample.made()]).text)
        #expect(undecided.headline == "? Undecided")
    }

    @Test func `of a run that ended early says so, and why`() throws {
        var sample = SampleResult()
        sample.failure = "worker 3 died of signal 9"
        let page = try PageText(HTMLReport([sample.made()]).text)
        #expect(page.headline == "\u{2713} Target met, so far")
        #expect(page.contains("Partial result"))
        #expect(page.contains("worker 3 died of signal 9"))
    }

    @Test func `shows text from a file as text, whatever it is`() throws {
        let attack = "<script>alert('\u{1}')</script>&amp;\" onload=\"x"
        var sample = SampleResult()
        sample.contenders = ["plain", attack]
        sample.workloads = [attack]
        sample.skipped = [attack]
        sample.failure = attack
        sample.host = attack
        let source = try HTMLReport([sample.made()]).text
        #expect(!source.contains("<script"))
        #expect(!source.contains("\" onload="))
        #expect(!source.contains("\u{1}"))
        let page = try PageText(source)
        #expect(page.contains("<script>alert('\u{FFFD}')</script>&amp;\" onload=\"x"))
    }

    @Test func `needs nothing but itself`() throws {
        let source = try HTMLReport([SampleResult().made()]).text
        for reference in ["src=", "href", "url(", "@import", "http", "<script", "<link"] {
            #expect(!source.contains(reference), "\(reference)")
        }
    }

    @Test func `of nine contenders without a target names the fastest`() throws {
        var sample = SampleResult(command: "peers")
        sample.contenders = ["encrypted"] + (1...8).map { "peer-\($0)" }
        sample.ratios = [1] + (1...8).map { 1 + Double($0) / 3 }
        sample.hasTarget = false
        let page = try PageText(HTMLReport([sample.made()]).text)
        #expect(page.headline == "\u{2261} 9 contenders compared")
        #expect(page.contains("Fastest: encrypted in 3 rows."))
        #expect(page.contains("peer-8 \u{D7}\u{202F}3.6"))
    }

    @Test func `of several results draws how they scale`() throws {
        let results = try [1, 2, 4].map { try SampleResult(workers: $0).made() }
        let page = try PageText(HTMLReport(results).text)
        #expect(page.contains("Scaling"))
        #expect(page.contains("workers \u{D7} threads (logarithmic)"))
        #expect(page.contains("C: scan \u{B7} ycsb"))
        #expect(page.contains("scan \u{B7} ycsb, by workers"))
        #expect(!page.contains("by threads"), "all had the same number of them")
        #expect(try !PageText(HTMLReport([results[0]]).text).contains("Scaling"))
    }

    @Test func `of several results draws how they grow`() throws {
        let counts = try [10_000, 100_000, 1_000_000].map { count in
            try SampleResult(
                workloads: ["scan"], recordCount: count,
                temperature: count == 1_000_000 ? "over-cache" : "hot"
            ).made()
        }
        let byCount = try PageText(HTMLReport(counts).text)
        #expect(byCount.contains("Growth"))
        #expect(byCount.contains("scan \u{B7} ycsb, by records"), "one curve, beyond the cache too")
        #expect(byCount.contains("records (logarithmic)") && byCount.contains("100 k"))
        #expect(!byCount.contains("by record length"), "all had the same length")

        let lengths = try [40, 123, 65_560].map {
            try SampleResult(workloads: ["scan"], recordByteCount: $0).made()
        }
        let byLength = try PageText(HTMLReport(lengths).text)
        #expect(byLength.contains("scan \u{B7} ycsb, by record length"))
        #expect(byLength.contains("64.0 KiB") && !byLength.contains("by records"))
        #expect(try !PageText(HTMLReport([counts[0]]).text).contains("Growth of"))

        var hollow = lengths[0]
        hollow.inputs[0].recordCount = 0
        #expect(try !PageText(HTMLReport([hollow, lengths[1]]).text).contains(", by record"))
    }

    @Test func `can be made of results in which nothing makes sense`() throws {
        var result = try SampleResult(workloads: ["scan"]).made()
        var figures = result.rows[0].figures[0]
        figures.throughput = .nan
        figures.rates = [0, .infinity, -1]
        figures.latency = Latency()
        figures.work = 0
        figures.costs.peakResidentByteCount = .max
        result.rows[0].figures[0] = figures
        result.rows[0].comparisons[0].ratio = Interval(lower: 0, median: 1, upper: .infinity)
        result.rows[0].regime.workers = .max
        result.rows[0].unit = "bytes"
        result.settings.target = .infinity
        for results in [[], [result], [result, result]] {
            _ = try PageText(HTMLReport(results).text)
        }
    }
}
