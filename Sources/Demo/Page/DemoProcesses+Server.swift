import ControlAPI
import Foundation
import ProgramSupport
import SampleModel

// The purchase server of the app's developer, and its products.
extension DemoProcesses {
  /// The speed of downloads: the encyclopedia takes 20 seconds, enough to watch its download and to interrupt it.
  private static let contentBytesPerSecond = 300_000

  /// Starts the purchase server and publishes its products.
  ///
  /// - Returns: the server's address for devices, which leads through a ``ServerProxy``.
  func openServer(store: URL) async throws -> URL {
    let files = ServerFiles(
      folder: folder.url.appending(path: "server"), storeAddress: store, apps: [SampleCatalog.bundleIdentifier])
    try files.prepare()
    let key = try await ServerFiles.operatorKey(from: try ChildProcess(files.keyArguments))
    let (_, server) = try await start("server") { files.arguments(port: $0) }
    let operators = OperatorClient(address: server, key: key)
    try await operators.publish(
      SampleCatalog.smallPrint,
      files: [("the-small-print.txt", BookText.prose(title: "The Small Print", bytes: 40_000))])
    try await operators.publish(
      SampleCatalog.encyclopedia,
      files: [("encyclopedia.txt", BookText.prose(title: "Encyclopedia of Receipts", bytes: 6_000_000))])
    try await operators.list(SampleCatalog.fiftyPages, credits: (SampleCatalog.pagesUnit, 50))
    for (product, credits) in SampleCatalog.creditsForProduct {
      try await operators.list(product, credits: (SampleCatalog.serverCreditsUnit, credits))
    }
    // By a filter or a plan, the server recognises the customer on another device.
    for filter in SampleCatalog.filters { try await operators.list(filter) }
    for plan in SampleCatalog.clubPlans {
      try await operators.list(
        plan, as: .autoRenewableSubscription, entitlements: [SampleCatalog.clubEntitlement])
    }
    try await operators.offer(
      SampleCatalog.clubPlans, as: "club", headline: "Each plan opens lessons. Gold opens all of them.")
    // Not through the proxy, which is the network of the devices.
    try await ControlAPIClient(address: store).notify(server)
    keep(OperatorsView.Access(server: server, key: key))
    let proxy = ServerProxy(bytesPerSecond: Self.contentBytesPerSecond)
    proxy.lead(to: [server.port ?? 0])
    keep(proxy)
    return try await proxy.open()
  }
}
