internal import BullaRecordsWeb

/// Reads an input as a form, in one piece and in several; the file in the form must come out the
/// same.
enum FormFuzz {
    /// The first bytes say where the form is cut.
    static func run(_ input: FuzzInput) {
        var input = input
        let steps = input.take(4).map { 1 + Int($0) }
        let form = input.rest
        let whole = outcome(form, [form.count])
        precondition(whole == outcome(form, steps), "a form is read the same however it is cut")
        precondition(whole == outcome(form, [1]), "a form is read the same byte by byte")
    }

    private struct Outcome: Equatable {
        var file: [UInt8] = []
        var error: WebError?
    }

    /// The result of reading a form in pieces of these sizes, which repeat until the form ends.
    private static func outcome(_ form: [UInt8], _ steps: [Int]) -> Outcome {
        guard let boundary = FormBoundary("xy") else { preconditionFailure("it is a boundary") }
        var reader = FormReader(boundary, headerByteCount: 200)
        var outcome = Outcome()
        do throws(WebError) {
            var (start, turn) = (0, 0)
            while start < form.count {
                let step = steps.isEmpty ? form.count : steps[turn % steps.count]
                let end = min(start + step, form.count)
                try reader.read(form[start..<end]) { outcome.file += $0 }
                (start, turn) = (end, turn + 1)
            }
            try reader.finish()
        } catch { outcome.error = error }
        return outcome
    }

    static var seeds: [[UInt8]] {
        let file = "Content-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n"
        let texts = [
            "--xy\r\n\(file)\r\nbytes\r\n--x\r\n--xy--\r\n",
            "before\r\n--xy \t\r\nContent-Disposition: form-data; name=n\r\n\r\n1\r\n--xy\r\n"
                + "\(file)Content-Type: text/plain\r\n\r\n\r\r\n-\r\n--xy--after",
            "--xy\r\n\r\n\r\n--xy--", "--xy--",
        ]
        return texts.flatMap { text in
            [[0, 0, 0, 0], [2, 30, 7, 1]].map { $0 + Array(text.utf8) }
        }
    }
}
