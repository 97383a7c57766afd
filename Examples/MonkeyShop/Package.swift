// swift-tools-version: 5.9

import PackageDescription

let storeKit = Target.Dependency.product(
  name: "StoreKit", package: "OpenStoreKit", condition: .when(platforms: [.linux]))

// Code of before Swift 6 draws the warnings it draws on Apple's platforms too (`@retroactive`, restated `Sendable`).
let oldCode: [SwiftSetting] = [.unsafeFlags(["-suppress-warnings"])]

// Apps' and libraries' packages as their developers would write them, in Swift 5 mode. On Apple's platforms
// `import StoreKit` is Apple's framework; on Linux it is OpenStoreKit's. Only tests know that there is an emulated store.
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
