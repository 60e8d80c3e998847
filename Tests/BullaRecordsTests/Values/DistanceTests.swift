import BullaRecords
import Testing

@Suite("Distances between locations")
struct DistanceTests {
    private func distance(_ one: (Double, Double), _ other: (Double, Double)) -> Double? {
        Location(latitude: one.0, longitude: one.1)
            .distance(to: Location(latitude: other.0, longitude: other.1))
    }

    /// A quarter of the globe's circumference.
    private let quarter = Location.meanEarthRadius * .pi / 2

    @Test("Distances on a quarter, a half and a degree of the globe are those of a circle")
    func circles() throws {
        for (one, other, expected) in [
            ((0, 0), (0, 90), quarter), ((0, 0), (90, 50), quarter),
            ((90, 0), (-90, 7), quarter * 2),
            ((0, 0), (0, 180), quarter * 2), ((0, 179.5), (0, -179.5), quarter / 90),
            ((45, 10), (46, 10), quarter / 90), ((-33, 151), (33, -29), quarter * 2),
            ((60, 0), (60, 180), quarter * 2 / 3),
        ] as [((Double, Double), (Double, Double), Double)] {
            let found = try #require(distance(one, other))
            #expect(abs(found - expected) < 1e-3, "\(one) \(other) \(found)")
            #expect(try abs(#require(distance(other, one)) - found) < 1e-6)
        }
        #expect(distance((48.2, 16.4), (48.2, 16.4)) == 0)
        #expect(distance((90, 12), (90, 99)).map { $0 < 1e-6 } == true)
    }

    @Test("Close places have the distance of a plane")
    func closePlaces() throws {
        let meter = 1 / (Location.meanEarthRadius * .pi / 180)
        let found = try #require(distance((10, 20), (10 + meter / 1_000, 20)))
        #expect(abs(found - 0.001) < 1e-6, "\(found)")
    }

    @Test("A place that is not on the globe is near nothing")
    func offGlobe() {
        for wrong in [
            (90.001, 0), (-91, 0), (0, 180.5), (0, -181), (.nan, 0), (0, .infinity),
        ] as [(Double, Double)] {
            #expect(distance(wrong, (0, 0)) == nil && distance((0, 0), wrong) == nil)
        }
    }
}
