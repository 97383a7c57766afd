// swift-tools-version: 5.9

import PackageDescription

// An app's package as its developer would write it. On Apple's platforms `import StoreKit` is Apple's framework; on Linux
// it is OpenStoreKit's. Only the tests know that there is an emulated store.
let package = Package(
  name: "MonkeyShop",
  platforms: [.macOS(.v14), .iOS(.v17)],
  dependencies: [.package(name: "OpenStoreKit", path: "../..")],
  targets: [
    .target(
      name: "MonkeyShop",
      dependencies: [.product(name: "StoreKit", package: "OpenStoreKit", condition: .when(platforms: [.linux]))]
    ),
    .testTarget(
      name: "MonkeyShopTests",
      dependencies: [
        "MonkeyShop", .product(name: "AppStoreEmulator", package: "OpenStoreKit"),
        .product(name: "StoreModel", package: "OpenStoreKit"),
      ],
      resources: [.copy("MonkeyShop.storekit")]
    ),
  ]
)
