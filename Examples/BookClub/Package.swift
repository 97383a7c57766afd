// swift-tools-version: 6.1

import PackageDescription

// An app with StoreKit 2. On Apple's platforms it uses Apple's StoreKit.
let package = Package(
  name: "BookClub",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "OpenStoreKit", path: "../..")],
  targets: [
    .target(
      name: "BookClub",
      dependencies: [.product(name: "StoreKit", package: "OpenStoreKit", condition: .when(platforms: [.linux]))]
    ),
    .testTarget(
      name: "BookClubTests",
      dependencies: [
        "BookClub", .product(name: "PurchaseTesting", package: "OpenStoreKit"),
        .product(name: "StoreKitTest", package: "OpenStoreKit"),
        .product(name: "StoreKit", package: "OpenStoreKit"),
      ],
      resources: [.copy("BookClub.storekit")]
    ),
  ]
)
