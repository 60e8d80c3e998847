import BullaText
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
        #expect(Hex.string([0, 171, 255]) == "00abff")
        #expect(Hex.bytes(Hex.string([0, 171, 255]).utf8) == [0, 171, 255])
        #expect(Hex.bytes("00ABff".utf8) == [0, 171, 255])
        let number = UInt64.max - 5
        #expect(Hex.words(String(decoding: Hex.digits(of: number), as: UTF8.self)) == [number])
        #expect(Hex.digits(of: 0x12).elementsEqual("0000000000000012".utf8))
        #expect(Hex.bytes("abc".utf8) == nil)
        #expect(Hex.bytes("zz".utf8) == nil)
        #expect(Hex.words("0123") == nil)
    }

    @Test func `in columns stand below each other`() {
        var table = TextTable(header: ["a", "long"], leftColumnCount: 1)
        table.append(["wide", "1"])
        #expect(table.lines == ["a     long", "wide     1"])
    }
}

@Suite struct `Arguments` {
    @Test(arguments: [
        ("4096", 4_096), ("64K", 65_536), ("256M", 268_435_456), ("1G", 1 << 30), ("0", 0),
    ])
    func `name numbers of bytes`(text: String, count: Int) {
        #expect(ByteCount(text)?.count == count)
        #expect(ByteCount("\(ByteCount(count))")?.count == count)
    }

    @Test(arguments: ["", "K", "-1", "1T", "1.5G", "9223372036854775807K", "x"])
    func `that name no number of bytes are refused`(text: String) {
        #expect(ByteCount(text)?.count == nil)
    }

    @Test func `name shares in percent`() {
        #expect(Percent("10%")?.share == 0.1)
        #expect(Percent("2.5")?.share == 0.025)
        #expect(Percent("%")?.share == nil)
        #expect(Percent("nan")?.share == nil)
    }
}

@Suite struct `A list of numbers` {
    @Test(arguments: [
        ("0", [0]), ("0-3,8", [0, 1, 2, 3, 8]), ("5,1-2,5", [5, 1, 2, 5]), ("7-7", [7]),
    ])
    func `keeps its order`(text: String, numbers: [Int]) {
        #expect(NumberList.parsed(text) == numbers)
        #expect(NumberList.parsed(NumberList.text(numbers)) == numbers)
    }

    @Test(arguments: ["", ",", "1,", "-1", "1-", "3-1", "1-2-3", "x", "+1", "0x1", "99999999"])
    func `that is none is refused`(text: String) {
        #expect(NumberList.parsed(text) == nil)
    }

    @Test func `is written in as few words as it takes`() {
        #expect(NumberList.text([0, 1, 2, 8, 10, 11]) == "0-2,8,10-11")
    }
}
