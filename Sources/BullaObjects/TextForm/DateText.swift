internal import FoundationEssentials

/// A date as text: `2026-11-27T19:43:39.25Z`, exact to the last bit of its `Double`.
///
/// A `Double` holds the number of seconds since 2001. From 2001 on, the text has the same fraction
/// as the number. Before 2001, the number is negative, and the text's fraction is one minus the
/// number's, because the text counts up from the whole second before: -9.25 gives a text that ends
/// in .75. Either way, no digit is lost, so reading the text gives the same number. Two kinds of
/// dates have no such text, and are written as numbers of seconds: those outside the years 1 to
/// 9999, and those less than a ten-thousandth of a second before or after the beginning of 2001.
struct DateText {
    /// Whole seconds since 2001, and the digits of a fraction to be added.
    private var seconds: Int
    private var fraction: String

    private static let daySeconds = 86_400
    /// The number of days from the first day of 1970 to the first day of 2001.
    private static let firstDay = 11_323
    /// Whole seconds since 2001, for the years 1 to 9999.
    private static let bounds = -63_113_904_000..<252_423_993_600
    private static let digitLimit = 40

    /// The text of a date; `nil` if it has none.
    init?(_ date: Date) {
        let number = date.timeIntervalSinceReferenceDate
        guard number.magnitude < 1e12 else { return nil }
        let parts = number.magnitude.description.split(separator: ".")
        // Swift writes a number below a ten-thousandth with an exponent; such a date has no text.
        guard parts.count == 2, let whole = Int(parts[0]), parts[1].utf8.allSatisfy(Self.isDigit)
        else { return nil }
        self.init(isNegative: number < 0, whole, parts[1] == "0" ? "" : String(parts[1]))
        guard Self.bounds.contains(seconds) else { return nil }
    }

    /// In a text, the fraction counts forward from a whole second.
    ///
    /// So a negative number with a fraction is split into the next lower whole number and what is
    /// left: -9.25 is -10 plus 0.75.
    private init(isNegative: Bool, _ whole: Int, _ digits: String) {
        let hasRest = digits.utf8.contains { $0 != UInt8(ascii: "0") }
        guard isNegative, hasRest else {
            (seconds, fraction) = (isNegative ? -whole : whole, hasRest ? digits : "")
            return
        }
        (seconds, fraction) = (-whole - 1, Self.complement(digits))
    }

    /// The digits of one minus the fraction.
    private static func complement(_ digits: String) -> String {
        var rest = digits.utf8.map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }
        for place in rest.indices.reversed() {
            guard rest[place] == UInt8(ascii: "9") else {
                rest[place] += 1
                break
            }
            rest[place] = UInt8(ascii: "0")
        }
        return String(decoding: rest, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}

/// Writing.
extension DateText {
    var text: String {
        let day = Self.floored(seconds, Self.daySeconds)
        let (year, month, date) = Self.calendarDay(day.quotient + Self.firstDay)
        let time = [day.rest / 3600, day.rest / 60 % 60, day.rest % 60].map { Self.padded($0, 2) }
        let rest = fraction.isEmpty ? "" : ".\(fraction)"
        return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(date, 2))T"
            + time.joined(separator: ":") + rest + "Z"
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }

    private static func floored(_ number: Int, _ divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    /// The date this many days after 1 January 1970, computed in years that begin in March, so that
    /// a leap day comes last.
    private static func calendarDay(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let era = floored(days + 719_468, 146_097)
        let year = (era.rest - era.rest / 1460 + era.rest / 36_524 - era.rest / 146_096) / 365
        let day = era.rest - (365 * year + year / 4 - year / 100)
        let month = (5 * day + 2) / 153
        let isNext = month >= 10
        return (
            era.quotient * 400 + year + (isNext ? 1 : 0), isNext ? month - 9 : month + 3,
            day - (153 * month + 2) / 5 + 1
        )
    }

    private static func dayCount(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let start = month > 2 ? year : year - 1
        let era = floored(start, 400)
        let days = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era.quotient * 146_097 + era.rest * 365 + era.rest / 4 - era.rest / 100 + days
            - 719_468
    }
}

/// Reading.
extension DateText {
    /// The date in a text: a day, which stands for its beginning in UTC, or a day and a time with
    /// `Z` or an offset from UTC; `nil` if it is neither.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = Self.number(&rest, 4), Self.take("-", &rest),
            let month = Self.number(&rest, 2), Self.take("-", &rest),
            let day = Self.number(&rest, 2), 1...12 ~= month, year > 0,
            day >= 1, Self.calendarDay(Self.dayCount(year, month, day)) == (year, month, day)
        else { return nil }
        (seconds, fraction) = ((Self.dayCount(year, month, day) - Self.firstDay) * 86_400, "")
        guard !rest.isEmpty else { return }
        guard Self.take("T", &rest) || Self.take(" ", &rest), takeTime(&rest),
            takeZone(&rest), rest.isEmpty
        else { return nil }
    }

    var date: Date? {
        let hasRest = fraction.utf8.contains { $0 != UInt8(ascii: "0") }
        let number =
            seconds >= 0 || !hasRest
            ? "\(seconds).\(hasRest ? fraction : "0")"
            : "-\(-seconds - 1).\(Self.complement(fraction))"
        return Double(number).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    private mutating func takeTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let hour = Self.number(&rest, 2), hour < 24, Self.take(":", &rest),
            let minute = Self.number(&rest, 2), minute < 60
        else { return false }
        seconds += hour * 3600 + minute * 60
        guard Self.take(":", &rest) else { return true }
        guard let second = Self.number(&rest, 2), second < 60 else { return false }
        seconds += second
        guard Self.take(".", &rest) else { return true }
        let digits = rest.prefix(while: Self.isDigit)
        guard 1...Self.digitLimit ~= digits.count else { return false }
        rest = rest[digits.endIndex...]
        fraction = String(decoding: digits, as: UTF8.self)
        return true
    }

    private mutating func takeZone(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if Self.take("Z", &rest) { return true }
        let isEast = Self.take("+", &rest)
        guard isEast || Self.take("-", &rest), let hours = Self.number(&rest, 2), hours < 24,
            Self.take(":", &rest), let minutes = Self.number(&rest, 2), minutes < 60
        else { return false }
        seconds -= (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
        return true
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ letter: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: letter) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
