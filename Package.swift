// swift-tools-version: 6.1

import PackageDescription

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")

let package = Package(
  name: "OpenStoreKit",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [
    .library(name: "StoreModel", targets: ["StoreModel"]),
    .library(name: "SignedData", targets: ["SignedData"]),
    .library(name: "DurableSQLite", targets: ["DurableSQLite"]),
    .library(name: "HTTPTransport", targets: ["HTTPTransport"]),
    .library(name: "AppStoreServerAPI", targets: ["AppStoreServerAPI"]),
    .library(name: "OpenStoreKit", targets: ["OpenStoreKit"]),
    .library(name: "StoreKit", targets: ["StoreKit"]),
    .library(name: "StoreKitTest", targets: ["StoreKitTest"]),
    .library(name: "AppStoreEmulator", targets: ["AppStoreEmulator"]),
    .library(name: "AppStoreEmulatorServer", targets: ["AppStoreEmulatorServer"]),
    .library(name: "PurchaseTesting", targets: ["PurchaseTesting"]),
    .library(name: "PurchaseKit", targets: ["PurchaseKit"]),
    .library(name: "PurchaseLedger", targets: ["PurchaseLedger"]),
    .library(name: "PurchaseServer", targets: ["PurchaseServer"]),
    .library(name: "PurchaseLedgerPostgreSQL", targets: ["PurchaseLedgerPostgreSQL"]),
    .executable(name: "openstorekit", targets: ["CommandLineTool"]),
    // For the tests, which preload it into the program with LD_PRELOAD.
    .library(name: "PowerCut", type: .dynamic, targets: ["PowerCut"]),
  ],
  traits: [
    // Without it, a program passes its own transport for https, and `import StoreKit` provides no networking.
    .trait(name: "URLSession", description: "Sends https by URLSession; StoreKit re-exports FoundationNetworking."),
    .default(enabledTraits: ["URLSession"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
  ],
  targets: [
    .target(name: "StoreModel"),
    .target(
      name: "SignedData",
      dependencies: [
        "StoreModel", crypto, x509,
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ]
    ),
    .target(name: "DurableSQLite", dependencies: ["StoreModel", grdb, grdbSQLite]),
    .target(name: "HTTPTransport", dependencies: ["StoreModel"]),
    .target(name: "AppStoreServerAPI", dependencies: ["StoreModel", "SignedData", "HTTPTransport", crypto]),
    // Bundle.appStoreReceiptURL is always nil on Linux; a C constructor in this target redirects it.
    .target(name: "BundleReceiptHook"),
    // In C, because a signal handler must not run Swift code.
    .target(name: "CommandSignals"),
    // In C: starts a process that inherits nothing but what it is given.
    .target(name: "CSpawn"),
    .target(name: "ChildProcesses", dependencies: ["CSpawn", "StoreModel"]),
    .target(
      name: "OpenStoreKit",
      dependencies: [
        "StoreModel", "SignedData", "DurableSQLite", "HTTPTransport", crypto, grdb,
        .target(name: "BundleReceiptHook", condition: .when(platforms: [.linux])),
      ]
    ),
    .target(name: "StoreKit", dependencies: ["OpenStoreKit"]),
    .target(
      name: "AppStoreEmulator",
      dependencies: [
        "AppStoreServerAPI", "StoreModel", "SignedData", "DurableSQLite", grdb, grdbSQLite, crypto,
      ]),
    // For the tests of apps.
    .target(name: "PurchaseTesting", dependencies: ["AppStoreEmulator", "OpenStoreKit", "StoreModel"]),
    // Apple's StoreKitTest, on the same core. It imports Testing for its trait.
    .target(
      name: "StoreKitTest",
      dependencies: ["StoreKit", "PurchaseTesting", "AppStoreEmulator", "OpenStoreKit", "SignedData", "StoreModel"]),
    .target(name: "APIDescription", dependencies: ["StoreModel"]),
    .target(
      name: "WebSupport",
      dependencies: [
        "APIDescription", "SignedData", "StoreModel", crypto, hummingbird,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [
        .embedInCode("Assets/pages.css"), .embedInCode("Assets/pages.js"), .embedInCode("Assets/site.css"),
        .embedInCode("Assets/site.js"), .embedInCode("Assets/icon.svg"),
      ]
    ),
    .target(
      name: "ControlAPI",
      dependencies: [
        "APIDescription", "AppStoreEmulator", "AppStoreServerAPI", "HTTPTransport", "SignedData", "StoreModel",
      ]),
    .target(
      name: "AppStoreEmulatorServer",
      dependencies: [
        "APIDescription", "AppStoreEmulator", "AppStoreServerAPI", "ControlAPI", "WebSupport", "SignedData",
        "StoreModel", hummingbird, crypto,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Console/Assets/console.css"), .embedInCode("Console/Assets/console.js")]
    ),
    .target(
      name: "PurchaseKit",
      dependencies: [
        .target(name: "StoreKit", condition: .when(platforms: [.linux])), "DurableSQLite", "HTTPTransport",
        "SignedData", "StoreModel", crypto, grdb,
      ]
    ),
    .target(
      name: "PurchaseLedger",
      dependencies: [
        "AppStoreServerAPI", "StoreModel", "SignedData", "DurableSQLite", "HTTPTransport", crypto, grdb, grdbSQLite,
      ]),
    .target(
      name: "PurchaseServer",
      dependencies: [
        "APIDescription", "AppStoreServerAPI", "DurableSQLite", "HTTPTransport", "WebSupport", "PurchaseLedger",
        "SignedData", "StoreModel", crypto,
        hummingbird, .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    // In C: libpq, PostgreSQL's client library, which is loaded when it is needed.
    .target(name: "CPQ", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "PurchaseLedgerPostgreSQL",
      dependencies: ["CPQ", "PurchaseLedger", "StoreModel", crypto, .product(name: "Logging", package: "swift-log")]),
    // Runs a PostgreSQL server for the tests and the demo, until their process ends.
    .target(name: "PrivatePostgreSQL", dependencies: ["ChildProcesses", "CPQ", "StoreModel"]),
    .target(name: "SampleModel", dependencies: ["PurchaseKit", "StoreModel"]),
    .target(
      name: "SampleApp",
      dependencies: [
        "DurableSQLite", "WebSupport", "HTTPTransport", "OpenStoreKit", "PurchaseKit", "SampleModel", "SignedData",
        "StoreKit", "StoreModel", crypto, hummingbird,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Photograph/photograph.py"],
      resources: [.embedInCode("Photograph/photograph.jpg")]
    ),
    // Shared by the programs: child processes, signals, temporary folders, standard streams, https.
    .target(
      name: "ProgramSupport",
      dependencies: [
        "ChildProcesses", "HTTPTransport", "StoreModel", "WebSupport",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    .target(
      name: "Demo",
      dependencies: [
        "APIDescription", "AppStoreEmulator", "ControlAPI", "DurableSQLite", "HTTPTransport", "OpenStoreKit",
        "PrivatePostgreSQL", "ProgramSupport", "PurchaseKit", "SampleApp", "SampleModel", "SignedData", "StoreKit",
        "StoreModel",
        "WebSupport", crypto, hummingbird,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [
        .embedInCode("SampleApp.storekit"), .embedInCode("Club.storekit"), .embedInCode("Page/demo.css"),
        .embedInCode("Page/demo.js"), .embedInCode("PhonePages/Assets/device.css"),
      ]
    ),
    .executableTarget(
      name: "CommandLineTool",
      dependencies: [
        "APIDescription", "AppStoreEmulator", "AppStoreEmulatorServer", "AppStoreServerAPI", "ChildProcesses",
        "CommandSignals",
        "ControlAPI", "Demo",
        "DurableSQLite", "HTTPTransport", "OpenStoreKit", "ProgramSupport", "PurchaseKit", "PurchaseLedger",
        "PurchaseLedgerPostgreSQL",
        "PurchaseServer",
        "SampleApp", "SignedData", "StoreModel", "WebSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        hummingbird, x509,
      ]
    ),
    // A preloaded library that replaces functions of libc. No target links it.
    .target(name: "PowerCut", path: "Tests/PowerCut"),
    // Helpers for the tests of several targets.
    .target(
      name: "SharedFixtures",
      dependencies: [
        "ChildProcesses", "StoreModel", crypto, grdb, grdbSQLite, .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/SharedFixtures", resources: [.copy("VersionBefore")]),
    // An emulated store for tests, with devices that buy from it.
    .target(
      name: "ShopFixtures",
      dependencies: ["AppStoreEmulator", "OpenStoreKit", "SharedFixtures", "SignedData", "StoreModel"],
      path: "Tests/ShopFixtures"),
    .executableTarget(name: "PowerCutSpecimen", path: "Tests/PowerCutSpecimen"),
    .testTarget(name: "StoreModelTests", dependencies: ["SharedFixtures", "StoreModel"]),
    .testTarget(name: "APIDescriptionTests", dependencies: ["APIDescription"]),
    .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses", "SharedFixtures", "StoreModel"]),
    .testTarget(name: "DurableSQLiteTests", dependencies: ["DurableSQLite", "SharedFixtures", "StoreModel", grdb]),
    .testTarget(name: "HTTPTransportTests", dependencies: ["HTTPTransport", "ProgramSupport", "StoreModel"]),
    .testTarget(
      name: "AppStoreServerAPITests",
      dependencies: ["AppStoreServerAPI", "HTTPTransport", "SharedFixtures", "SignedData", "StoreModel", crypto]),
    .testTarget(name: "SignedDataTests", dependencies: ["SignedData", "SharedFixtures", "StoreModel", crypto, x509]),
    .testTarget(
      name: "OpenStoreKitTests",
      dependencies: [
        "OpenStoreKit", "AppStoreEmulator", "SharedFixtures", "ShopFixtures", "SignedData", "StoreModel", crypto, grdb,
      ]),
    .testTarget(name: "StoreKitTests", dependencies: ["StoreKit"]),
    // Client code, and Apple's interface.
    .testTarget(name: "InterfaceTests", dependencies: ["StoreKit"], exclude: ["Listing.txt"]),
    .testTarget(name: "PurchaseTestingTests", dependencies: ["PurchaseTesting", "StoreKit"]),
    .testTarget(
      name: "StoreKitTestTests",
      dependencies: ["StoreKitTest", "OpenStoreKit", "PurchaseTesting", "StoreKit"],
      resources: [.copy("Shop.storekit"), .copy("Folder")]),
    .testTarget(
      name: "AppStoreEmulatorTests",
      dependencies: [
        "AppStoreEmulator", "AppStoreServerAPI", "DurableSQLite", "OpenStoreKit", "SharedFixtures", "ShopFixtures",
        "SignedData", "StoreModel", crypto, grdb,
      ]),
    .testTarget(
      name: "AppStoreEmulatorServerTests",
      dependencies: [
        "AppStoreEmulatorServer", "APIDescription", "AppStoreEmulator", "AppStoreServerAPI", "ControlAPI", "WebSupport",
        "OpenStoreKit", "SharedFixtures", "SignedData",
        "StoreModel", grdb, hummingbird,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    .testTarget(
      name: "WebSupportTests",
      dependencies: [
        "WebSupport", "SharedFixtures", hummingbird,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "PurchaseKitTests",
      dependencies: [
        "PurchaseKit", "AppStoreEmulator", "AppStoreEmulatorServer", "DurableSQLite", "HTTPTransport", "OpenStoreKit",
        "PurchaseLedger", "PurchaseServer", "SharedFixtures", "ShopFixtures", "SignedData", "StoreModel", crypto, grdb,
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "PurchaseLedgerTests",
      dependencies: [
        "PurchaseLedger", "PurchaseLedgerPostgreSQL", "PrivatePostgreSQL", "AppStoreEmulator", "AppStoreServerAPI",
        "DurableSQLite", "HTTPTransport", "SharedFixtures", "ShopFixtures", "SignedData", "StoreModel", crypto, grdb,
        grdbSQLite,
      ]),
    .testTarget(
      name: "PurchaseLedgerPostgreSQLTests",
      dependencies: [
        "PurchaseLedgerPostgreSQL", "CPQ", "PrivatePostgreSQL", "PurchaseLedger", "SharedFixtures", "StoreModel",
      ]),
    .testTarget(
      name: "PurchaseServerTests",
      dependencies: [
        "PurchaseServer", "AppStoreEmulator", "AppStoreEmulatorServer", "AppStoreServerAPI", "HTTPTransport",
        "WebSupport", "PrivatePostgreSQL", "PurchaseLedger", "PurchaseLedgerPostgreSQL", "SharedFixtures",
        "ShopFixtures", "SignedData", "StoreModel",
        hummingbird, crypto,
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "InterleavingTests",
      dependencies: ["PurchaseKit", "AppStoreEmulator", "OpenStoreKit", "ShopFixtures", "StoreModel"]),
    .testTarget(
      name: "SampleModelTests",
      dependencies: [
        "SampleModel", "AppStoreEmulator", "HTTPTransport", "OpenStoreKit", "PurchaseKit", "SharedFixtures",
        "ShopFixtures", "SignedData", "StoreModel",
      ]),
    .testTarget(
      name: "SampleAppTests",
      dependencies: [
        "SampleApp", "AppStoreEmulator", "WebSupport", "OpenStoreKit", "PurchaseKit", "SampleModel", "SharedFixtures",
        "ShopFixtures", "SignedData", "StoreModel", hummingbird,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
      ]),
    .testTarget(
      name: "CommandLineToolTests",
      dependencies: [
        "CommandLineTool", "AppStoreEmulator", "AppStoreEmulatorServer", "ChildProcesses", "ControlAPI", "Demo",
        "HTTPTransport", "OpenStoreKit", "ProgramSupport",
        "PrivatePostgreSQL", "PurchaseLedger", "PurchaseLedgerPostgreSQL",
        "PurchaseKit", "SampleApp", "SharedFixtures", "ShopFixtures", "SignedData", "StoreKit", "StoreModel",
        crypto,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      resources: [.copy("Exec/purchase_test.py")]
    ),
    .testTarget(
      name: "HostileRequestTests",
      dependencies: [
        "CommandLineTool", "AppStoreEmulator", "AppStoreEmulatorServer", "AppStoreServerAPI", "PrivatePostgreSQL",
        "ProgramSupport",
        "PurchaseLedger", "WebSupport", grdb,
        "PurchaseServer", "SharedFixtures", "SignedData", "StoreModel", hummingbird,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "CommitPointTests",
      dependencies: [
        "ChildProcesses", "CommandLineTool", "Demo", "ProgramSupport", "PurchaseKit", "SampleApp", "SignedData",
        "StoreModel", "SampleModel",
        crypto,
        grdb,
      ]),
  ],
  swiftLanguageModes: [.v6]
)
