import BullaText
import Testing

@Suite struct `A rate` {
    @Test func `is what was counted in a second`() {
        let second = Duration.seconds(1)
        #expect(CountRate.perSecond(from: 10, to: 30, within: second) == 20)
        #expect(CountRate.perSecond(from: 10, to: 30, within: .seconds(4)) == 5)
        #expect(CountRate.perSecond(from: 10, to: 30, within: .milliseconds(500)) == 40)
        #expect(CountRate.perSecond(from: 7, to: 7, within: second) == 0)
    }

    @Test func `is never negative, and none where no time has passed`() {
        #expect(CountRate.perSecond(from: 30, to: 10, within: .seconds(1)) == 0)
        #expect(CountRate.perSecond(from: 10, to: 30, within: .zero) == nil)
        #expect(CountRate.perSecond(from: 10, to: 30, within: .seconds(-1)) == nil)
    }

    @Test func `of whatever another process has written does not overflow`() {
        let rate = CountRate.perSecond(from: .min, to: .max, within: .seconds(1))
        #expect(rate == 0x1p64)
    }
}

@Suite struct `A length of time` {
    @Test(arguments: [
        ("1s", Duration.seconds(1)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)),
        ("1.5s", .milliseconds(1500)), ("10", .seconds(10)), ("0.001", .milliseconds(1)),
        ("1440m", .seconds(86_400)),
    ])
    func `is a number with its unit, or of seconds`(text: String, duration: Duration) {
        #expect(TimeSpan(text)?.duration == duration)
        #expect(TimeSpan(text)?.description == text)
    }

    @Test(arguments: [
        "", "s", "ms", "-1s", "+1s", "0", "0.5ms", "1441m", "1h", "1 s", "1e3", "nan", "inf", "0x1",
        "1.2.3", ".",
    ])
    func `is nothing else`(text: String) {
        #expect(TimeSpan(text) == nil)
    }
}
