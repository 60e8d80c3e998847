import BullaRecordsWeb
import Foundation
import Testing

@Suite("Dates of signatures")
struct SignatureDateTests {
    @Test(
        "A date is so many milliseconds",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-23T12:00:00Z", 1_795_435_200_000),
            ("2000-02-29T23:59:59+01:30", 951_863_399_000),
            ("2000-02-29T20:59:59-01:30", 951_863_399_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000),
        ] as [(String, Int64)])
    func good(text: String, milliseconds: Int64) {
        #expect(SignatureDate.milliseconds(text) == milliseconds)
    }

    @Test("Every day of two centuries is the one that the library says")
    func everyDay() {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: 0, to: 73_000, by: 1) {
            let seconds = day * 86_400 + day % 86_400
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(SignatureDate.milliseconds(text) == Int64(seconds) * 1_000)
        }
    }

    @Test(
        "What is no date, or has a fraction, is refused",
        arguments: [
            "", "Z", "2026-11-23", "2026-11-23T12:00:00", "2026-11-23T12:00:00.5Z",
            "2026-11-23T12:00:00.000Z", "2026-11-23T12:00:00z", "2026-11-23 12:00:00Z",
            "2026-13-23T12:00:00Z", "2026-00-23T12:00:00Z", "2026-11-31T12:00:00Z",
            "2026-11-00T12:00:00Z", "2025-02-29T12:00:00Z", "2100-02-29T12:00:00Z",
            "2026-11-23T24:00:00Z", "2026-11-23T12:60:00Z", "2026-11-23T12:00:60Z",
            "1969-12-31T23:59:59Z", "2026-11-23T12:00:00+0100", "2026-11-23T12:00:00+24:00",
            "2026-11-23T12:00:00+01:60", "+026-11-23T12:00:00Z", "2026-11-23T12:00:00ZZ",
            "20261123T120000Z", "2026-11-23T12:00:00\u{660}Z",
        ])
    func bad(text: String) {
        #expect(SignatureDate.milliseconds(text) == nil)
    }
}
