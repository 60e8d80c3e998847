import BullaRecordsWeb
import BullaText
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("Containers, keys and values are separated as they must be")
    func structure() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.int64(.min)
        writer.int64(.max)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.endArray()
        writer.key("b")
        writer.double(0.1)
        writer.key("c")
        writer.bool(true)
        writer.key("d")
        writer.null()
        writer.key("e")
        writer.base64([255, 254, 253, 252])
        writer.endObject()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "{\"a\":[-9223372036854775808,9223372036854775807,{},[]],\"b\":0.1,\"c\":true,"
                + "\"d\":null,\"e\":\"//79/A==\"}")
    }

    @Test("Strings are escaped where they must be, and nowhere else")
    func escapes() {
        var writer = JSONWriter()
        writer.string("\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}\u{e4}\u{1F600}")
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\u{e4}\u{1F600}\"")
    }

    @Test(
        "Doubles are written shortly",
        arguments: [
            (-0.0, "-0.0"), (1.0, "1.0"), (1e100, "1e+100"), (.leastNonzeroMagnitude, "5e-324"),
            (0.55, "0.55"),
        ] as [(Double, String)])
    func doubles(number: Double, text: String) {
        var writer = JSONWriter()
        writer.double(number)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test("Base64 has one text for each bytes", arguments: [Base64.Form.standard, .address])
    func base64(form: Base64.Form) {
        for count in 0..<70 {
            let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 250) }
            let text = Base64.text(data, form: form)
            #expect(Base64.bytes(text.utf8, form: form) == data)
        }
        let bad = ["A", "AB", "A===", "====", "AB=C", "AC==", "AAB=", "AA= ", "A A=", "AB==AB=="]
        for text in bad where form == .standard { #expect(Base64.bytes(text.utf8) == nil) }
        for text in ["A", "AB==", "AB", "+/AA", "AAB"] where form == .address {
            #expect(Base64.bytes(text.utf8, form: .address) == nil)
        }
        #expect(Base64.text([251, 255], form: form) == (form == .standard ? "+/8=" : "-_8"))
    }
}
