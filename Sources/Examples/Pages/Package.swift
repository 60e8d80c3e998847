// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "pages",
    dependencies: [.package(name: "bulla", path: "../../..")],
    targets: [
        .executableTarget(
            name: "pages",
            dependencies: [
                .product(name: "Bulla", package: "bulla"),
                .product(name: "BullaRecords", package: "bulla"),
            ],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)])
    ]
)
