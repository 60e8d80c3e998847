/// The date of a signature as its header gives it, such as `2026-01-25T22:15:43Z`.
package enum SignatureDate {
    /// Milliseconds since 1970; `nil` unless the text is a date from 1970 on, in whole seconds.
    ///
    /// Instead of `Z`, the text may have an offset from UTC, such as `+01:00`.
    ///
    /// - Source: RFC 3339, section 5.6.
    package static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, matches(bytes[..<19], "dddd-dd-ddTdd:dd:dd"),
            let offset = offsetMinutes(bytes[19...])
        else { return nil }
        let (year, month, day) = (
            number(bytes, 0, 4), number(bytes, 5, 2), number(bytes, 8, 2)
        )
        let (hour, minute, second) = (
            number(bytes, 11, 2), number(bytes, 14, 2), number(bytes, 17, 2)
        )
        guard year >= 1970, (1...12).contains(month),
            (1...dayCount(of: month, year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1_000
    }

    private static func offsetMinutes(_ text: ArraySlice<UInt8>) -> Int64? {
        if matches(text, "Z") { return 0 }
        guard matches(text, "+dd:dd") || matches(text, "-dd:dd") else { return nil }
        let bytes = Array(text)
        let (hours, minutes) = (number(bytes, 1, 2), number(bytes, 4, 2))
        guard hours < 24, minutes < 60 else { return nil }
        return (bytes[0] == .minus ? -1 : 1) * (hours * 60 + minutes)
    }

    /// Whether the bytes match a pattern, in which `d` stands for any digit.
    private static func matches(_ bytes: ArraySlice<UInt8>, _ form: String) -> Bool {
        bytes.count == form.utf8.count
            && zip(bytes, form.utf8).allSatisfy { byte, form in
                form == UInt8(ascii: "d") ? byte.isDigit : byte == form
            }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int64 {
        bytes[start..<start + count].reduce(0) { $0 * 10 + Int64($1 - .zero) }
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func dayCount(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of days from 1970-01-01 to a date that is not before it.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let past = year - 1
        let leapDays = past / 4 - past / 100 + past / 400 - 477
        let months = (1..<month).reduce(0) { $0 + dayCount(of: $1, year) }
        return (year - 1970) * 365 + leapDays + months + day - 1
    }
}
