internal import Foundation

extension Location {
    /// The mean radius of the Earth in meters.
    ///
    /// - Source: Moritz, Geodetic Reference System 1980, Journal of Geodesy 74 (2000), page 131:
    ///   the mean of the three semi-axes.
    package static let meanEarthRadius = 6_371_008.771_4

    /// Whether the latitude lies between the poles, and the longitude within 180 degrees.
    package var isOnGlobe: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

    /// The distance in meters along the surface of a sphere; `nil` if one of the two places is not
    /// on the globe.
    ///
    /// Altitudes are ignored. The Earth is flattened, so a distance on the ellipsoid differs by up
    /// to 0.6 percent.
    ///
    /// - Source: Vincenty, Direct and Inverse Solutions of Geodesics on the Ellipsoid, Survey
    ///   Review 23 (1975): the inverse formula for equal semi-axes, which is accurate for close,
    ///   distant and opposite places alike.
    package func distance(to other: Location) -> Double? {
        guard isOnGlobe, other.isOnGlobe else { return nil }
        let (first, second) = (latitude.radians, other.latitude.radians)
        let turn = (other.longitude - longitude).radians
        let east = cos(second) * sin(turn)
        let north = cos(first) * sin(second) - sin(first) * cos(second) * cos(turn)
        let along = sin(first) * sin(second) + cos(first) * cos(second) * cos(turn)
        return atan2((east * east + north * north).squareRoot(), along) * Self.meanEarthRadius
    }
}

extension Double {
    /// This number of degrees, in radians.
    fileprivate var radians: Double { self * .pi / 180 }
}
