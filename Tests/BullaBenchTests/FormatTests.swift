import BullaBenchKit
import Testing

@Suite struct `Numbers` {
    @Test(arguments: [
        (812.0, "812 ns"), (1_900, "1.90 us"), (12_345, "12.3 us"), (999_700, "1.00 ms"),
        (2.5e9, "2.50 s"),
    ])
    func `of nanoseconds are read as times`(nanoseconds: Double, text: String) {
        #expect(Format.time(nanoseconds) == text)
    }

    @Test(arguments: [
        (0.0, "0"), (845, "845"), (9_999, "9999"), (84_512, "84.5 k"), (1_210_000, "1.21 M"),
        (12_100_000, "12.1 M"),
    ])
    func `of things are read with their thousands`(number: Double, text: String) {
        #expect(Format.count(number) == text)
    }

    @Test func `are rounded to the digits asked for`() {
        #expect(Format.fixed(1.0165, 3) == "1.017")
        #expect(Format.fixed(-0.05, 1) == "-0.1")
        #expect(Format.fixed(-0.001, 1) == "0.0")
        #expect(Format.fixed(2.0, 0) == "2")
        #expect(Format.fixed(.infinity, 2) == "inf")
    }

    @Test func `of bytes have binary units`() {
        #expect(Format.bytes(4_096) == "4 KiB")
        #expect(Format.bytes(256 << 20) == "256 MiB")
        #expect(Format.bytes(1_500) == "1.46 KiB")
        #expect(Format.bytes(7) == "7 B")
    }

    @Test func `of a pair of times share the unit of the first`() {
        #expect(Format.times(812, 1_024) == "812 / 1024 ns")
        #expect(Format.times(2_500, 990) == "2.50 / 0.99 us")
    }

    @Test func `in hexadecimal digits come back`() {
        #expect(Hex.bytes(from: Hex.string([0, 171, 255])) == [0, 171, 255])
        #expect(Hex.words(from: Hex.string(UInt64.max - 5)) == [UInt64.max - 5])
        #expect(Hex.bytes(from: "abc") == nil)
        #expect(Hex.bytes(from: "zz") == nil)
    }

    @Test func `in columns stand below each other`() {
        var table = TextTable(header: ["a", "long"], leftColumnCount: 1)
        table.append(["wide", "1"])
        #expect(table.lines == ["a     long", "wide     1"])
    }
}
