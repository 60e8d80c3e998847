// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "pages",
    dependencies: [.package(name: "bulla", path: "../../..", traits: ["Objects"])],
    targets: [
        .executableTarget(
            name: "pages",
            dependencies: [
                .product(name: "Bulla", package: "bulla"),
                .product(name: "BullaRecords", package: "bulla"),
                .product(name: "BullaObjects", package: "bulla"),
            ],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)])
    ]
)
