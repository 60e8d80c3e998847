public import Foundation

/// A place on the globe: what stands for `CLLocation`, which does not exist here.
public struct CKLocation: Hashable, Sendable {
    /// In degrees, north positive.
    public var latitude: Double
    /// In degrees, east positive.
    public var longitude: Double
    /// In meters above the sea; `nil` where nobody measured it, as for all that follow.
    public var altitude: Double?
    /// In meters.
    public var horizontalAccuracy: Double?
    /// In meters.
    public var verticalAccuracy: Double?
    /// In degrees from north, clockwise.
    public var course: Double?
    /// In meters a second.
    public var speed: Double?
    /// When it was measured; kept in milliseconds.
    public var timestamp: Date?

    /// A place of which nothing else is known.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(_ location: Location) {
        self.init(latitude: location.latitude, longitude: location.longitude)
        (altitude, course, speed) = (location.altitude, location.course, location.speed)
        horizontalAccuracy = location.horizontalAccuracy
        verticalAccuracy = location.verticalAccuracy
        timestamp = location.timestamp.map { Date(milliseconds: $0) }
    }

    /// As it is kept; `nil` where its time is not one that can be.
    var stored: Location? {
        var location = Location(latitude: latitude, longitude: longitude)
        (location.altitude, location.course, location.speed) = (altitude, course, speed)
        location.horizontalAccuracy = horizontalAccuracy
        location.verticalAccuracy = verticalAccuracy
        guard let timestamp else { return location }
        guard let milliseconds = timestamp.milliseconds else { return nil }
        location.timestamp = milliseconds
        return location
    }
}

extension Date {
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// Since 1970, to the nearest; `nil` where so many do not fit in 64 bits.
    var milliseconds: Int64? { Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) }
}
