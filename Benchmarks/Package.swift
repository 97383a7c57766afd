// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "PurchaseBenchmarks",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "OpenStoreKit", path: ".."),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "purchase-benchmarks",
      dependencies: [
        .product(name: "AppStoreEmulator", package: "OpenStoreKit"),
        .product(name: "AppStoreEmulatorServer", package: "OpenStoreKit"),
        .product(name: "AppStoreServerAPI", package: "OpenStoreKit"),
        .product(name: "DurableSQLite", package: "OpenStoreKit"),
        .product(name: "OpenStoreKit", package: "OpenStoreKit"),
        .product(name: "PurchaseLedger", package: "OpenStoreKit"),
        .product(name: "PurchaseLedgerPostgreSQL", package: "OpenStoreKit"),
        .product(name: "PurchaseServer", package: "OpenStoreKit"),
        .product(name: "SignedData", package: "OpenStoreKit"),
        .product(name: "StoreModel", package: "OpenStoreKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      path: "Sources/PurchaseBenchmarks"
    )
  ],
  swiftLanguageModes: [.v6]
)
