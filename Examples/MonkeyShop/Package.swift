// swift-tools-version: 5.9

import PackageDescription

let storeKit = Target.Dependency.product(
  name: "StoreKit", package: "OpenStoreKit", condition: .when(platforms: [.linux]))

// Suppresses warnings. Code from before Swift 6 causes them on Apple's platforms as well (`@retroactive`, restated
// `Sendable`).
let oldCode: [SwiftSetting] = [.unsafeFlags(["-suppress-warnings"])]

// A package with an app and a library as their developers would write them, in Swift 5 mode. On Apple's platforms,
// `import StoreKit` imports Apple's framework; on Linux, OpenStoreKit's. Only the tests use the emulated store.
let package = Package(
  name: "MonkeyShop",
  platforms: [.macOS(.v14), .iOS(.v17)],
  dependencies: [.package(name: "OpenStoreKit", path: "../..")],
  targets: [
    .target(name: "MonkeyShop", dependencies: [storeKit]),
    .testTarget(
      name: "MonkeyShopTests",
      dependencies: [
        "MonkeyShop", .product(name: "AppStoreEmulator", package: "OpenStoreKit"),
        .product(name: "StoreModel", package: "OpenStoreKit"),
      ],
      resources: [.copy("MonkeyShop.storekit")]
    ),
    .target(name: "PurchaseLibrary", dependencies: [storeKit], swiftSettings: oldCode),
    .testTarget(
      name: "PurchaseLibraryTests",
      dependencies: [
        "PurchaseLibrary", .product(name: "AppStoreEmulator", package: "OpenStoreKit"),
        .product(name: "StoreModel", package: "OpenStoreKit"),
      ],
      swiftSettings: oldCode
    ),
  ]
)
