// swift-tools-version: 6.1

import PackageDescription

// An app in Swift 6 mode. It uses the main actor, continuations and `Sendable` as the compiler requires.
let package = Package(
  name: "BananaClub",
  platforms: [.macOS(.v14), .iOS(.v17)],
  dependencies: [.package(name: "OpenStoreKit", path: "../..")],
  targets: [
    .target(
      name: "BananaClub",
      dependencies: [.product(name: "StoreKit", package: "OpenStoreKit", condition: .when(platforms: [.linux]))]
    ),
    .testTarget(
      name: "BananaClubTests",
      dependencies: [
        "BananaClub", .product(name: "AppStoreEmulator", package: "OpenStoreKit"),
        .product(name: "StoreModel", package: "OpenStoreKit"),
      ]
    ),
  ]
)
