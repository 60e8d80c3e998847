import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Forms that bring a file")
struct FormReaderTests {
    private static let boundary = "--x-y"
    private static let headerByteCount = 200

    private static let fileHeaders =
        "Content-Disposition: form-data; name=\"f\"; filename=\"a;b\\\".txt\"\r\n"
        + "Content-Type: text/plain"

    /// The file in a form.
    private func file(
        of form: [UInt8], boundary: String = boundary, cuts: [Int] = []
    ) throws(WebError) -> [UInt8] {
        guard let boundary = FormBoundary(boundary) else {
            throw WebError(.internalError, "the boundary is one")
        }
        var reader = FormReader(boundary, headerByteCount: Self.headerByteCount)
        var file: [UInt8] = []
        var start = 0
        for end in cuts + [form.count] {
            try reader.read(form[start..<end]) { file += $0 }
            start = end
        }
        try reader.finish()
        return file
    }

    private func form(_ parts: (headers: String, body: [UInt8])...) -> [UInt8] {
        var form: [UInt8] = []
        for part in parts {
            form += Array("--\(Self.boundary)\r\n\(part.headers)\r\n\r\n".utf8) + part.body
            form += Array("\r\n".utf8)
        }
        return form + Array("--\(Self.boundary)--\r\n".utf8)
    }

    /// Bytes that resemble boundaries, but are none.
    private static let tricky = Array(
        "\r\n----x-\r\n\r\r\n----x-z\r\n--\r\n--x-y\r\n----x\r\n\r\n----x-\n--\r----x-y\r".utf8)

    @Test("A form is read the same wherever it is cut in two or three")
    func cuts() throws {
        let form = form(
            ("Content-Disposition: form-data; name=note", Self.tricky),
            (Self.fileHeaders, Self.tricky),
            ("content-disposition: form-data; name=\"last\"", []))
        #expect(try file(of: form) == Self.tricky)
        for first in 0...form.count {
            #expect(try file(of: form, cuts: [first]) == Self.tricky)
            let second = min(first + 1, form.count)
            #expect(try file(of: form, cuts: [first, second]) == Self.tricky)
        }
        #expect(try file(of: form, cuts: Array(0...form.count)) == Self.tricky)
    }

    @Test("Any file comes out as it went in", arguments: 0..<20)
    func roundTrip(seed: Int) throws {
        var random = TestRandom(seed: seed)
        for _ in 0..<50 {
            // Few different bytes, so that boundaries seem to begin everywhere.
            let letters = Array("\r\n-xy".utf8)
            let body = (0..<random.below(300)).map { _ in random.pick(letters) }
            let end = Array("\r\n--\(Self.boundary)".utf8)
            guard !(Array("\r\n".utf8) + body).text.contains(end.text) else { continue }
            let form = form((Self.fileHeaders, body))
            let cuts = (0..<5).map { _ in random.below(form.count) }.sorted()
            #expect(try file(of: form, cuts: cuts) == body)
        }
    }

    @Test("What stands before the first boundary and behind the last is passed over")
    func surroundings() throws {
        let form = form((Self.fileHeaders, [1, 2]))
        #expect(try file(of: Array("preamble\r\n".utf8) + form) == [1, 2])
        #expect(try file(of: Array("\r\n".utf8) + form) == [1, 2])
        #expect(try file(of: form + Array("--\(Self.boundary)\r\nanything".utf8)) == [1, 2])
        #expect(try file(of: form.dropLast(2)) == [1, 2])
        let blanks = form.text.replacing("--\r\nCont", with: "-- \t\r\nCont")
        #expect(try file(of: Array(blanks.utf8)) == [1, 2])
        // In the middle of a line, the boundary's text is not a boundary.
        #expect(throws: WebError.self) { try file(of: [1] + form) }
    }

    @Test(
        "A form that is not whole, or has not one file, is refused with the reason",
        arguments: [
            ("--b\r\n\r\nx\r\n--b--", "is not form-data"),
            ("--b\r\nContent-Disposition: form-data; name=f\r\n\r\nx\r\n--b--", "is a file"),
            ("--b\r\nContent-Disposition: attachment; filename=f\r\n\r\nx\r\n--b--", "form-data"),
            ("--b\r\nContent-Disposition: form-data; filename=f\r\n\r\nx\r\n--b", "ends before"),
            ("--b\r\nContent-Disposition: form-data; filename=f\r\n\r\nx", "ends before"),
            ("", "ends before"), ("--b--", "is a file"), ("--b-", "ends before"),
            ("--bc\r\n", "more than the boundary"), ("--b-x", "more than the boundary"),
            ("--b\rx", "more than the boundary"), ("--b\n", "more than the boundary"),
            ("--b\r\nno colon\r\n\r\n", "has no name"), ("--b\r\n: x\r\n\r\n", "has no name"),
            ("--b\r\na b: x\r\n\r\n", "has no name"), ("--b\r\n folded: x\r\n\r\n", "has no name"),
            ("--b\r\na: x\ny\r\n\r\n", "control character"),
            ("--b\r\na: \u{0}\r\n\r\n", "control character"),
            ("--b\r\nContent-Disposition: form-data; filename=\"f\r\n\r\n", "cannot be read"),
            ("--b\r\nContent-Disposition: form-data; a=1; a=2\r\n\r\n", "cannot be read"),
            (
                "--b\r\nContent-Disposition: form-data; filename=f\r\n"
                    + "Content-Transfer-Encoding: base64\r\n\r\n", "transfer encoding"
            ),
        ])
    func refusals(text: String, reason: String) {
        let error = #expect(throws: WebError.self) {
            try file(of: Array(text.utf8), boundary: "b")
        }
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test("Two files, and headers that are too long, are refused")
    func tooMuch() {
        let two = form((Self.fileHeaders, [1]), (Self.fileHeaders, [2]))
        let error = #expect(throws: WebError.self) { try file(of: two) }
        #expect(error?.reason.hasSuffix("two parts of it are files") == true)
        let long = form(("a: " + String(repeating: "b", count: 200), []))
        let other = #expect(throws: WebError.self) { try file(of: long) }
        #expect(other?.reason.hasSuffix("more than 200 bytes") == true)
    }

    @Test("Any bytes are read, or refused", arguments: 0..<10)
    func anything(seed: Int) {
        var random = TestRandom(seed: seed)
        let whole = form((Self.fileHeaders, Self.tricky), ("a: b", [1]))
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0...random.below(4) {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = UInt8(random.below(256))
                case 1: bytes.remove(at: place)
                default: bytes.insert(random.pick(Array("\r\n-:;=\" x".utf8)), at: place)
                }
            }
            let cut = random.below(bytes.count)
            let one = Result { () throws(WebError) in try file(of: bytes) }
            let other = Result { () throws(WebError) in try file(of: bytes, cuts: [cut]) }
            #expect(one == other)
        }
    }

    @Test("Values of headers are read with their parameters")
    func headerValues() {
        let read = HeaderValue("Form-Data; Name=\"a\\\"\\\\b\\c\" ;\tfilename=\"\"; x=1;")
        #expect(read?.name == "form-data")
        #expect(read?.parameters == ["name": "a\"\\b\\c", "filename": "", "x": "1"])
        for none in ["", ";", "a b", "a; b", "a; =c", "a; b=", "a; b=\"c", "a; b=c d", "a, b"] {
            #expect(HeaderValue(none[...]) == nil)
        }
    }
}
