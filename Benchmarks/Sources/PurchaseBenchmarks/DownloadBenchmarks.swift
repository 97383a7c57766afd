import Foundation
import Hummingbird
import Logging
import PurchaseLedger
import PurchaseServer
import ServiceLifecycle
import SignedData
import StoreModel

/// Measures the download of a large file from the purchase server, and of the same file from nginx. The client is curl.
enum DownloadBenchmarks {
  private static let app: BundleID = "com.example.reader"
  private static let product: ProductID = "com.example.reader.encyclopedia"

  /// Runs a purchase server with one file, and calls `body` with its port and the path of a download link.
  static func serving(megabytes: Int, _ body: (Int, String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "download-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let content = try await FolderContentStore(folder: folder.appending(path: "content"))
    let stored = try await content.publish(Noise(chunks: megabytes), limitBytes: .max, expecting: .anything)
    let (service, link) = try await service(of: content, stored)
    try await listening(service) { try await body($0, "/v1/downloads/\(link)") }
  }

  private static func service(
    of content: FolderContentStore, _ stored: StoredContent
  ) async throws -> (PurchaseService, link: String) {
    let ledger = try await Ledger(
      database: SQLiteLedgerDatabase(at: nil), anchors: .apple, apps: [app: LedgerSettings()])
    let links = DownloadLinkSigner(
      current: try DownloadLinkKey(bytes: Array(repeating: 7, count: 32)), clock: SystemClock())
    let link = try await link(to: stored, ledger, links)
    let service = try await PurchaseService(
      ledger: ledger,
      verifier: ProofVerifier(
        anchors: .apple, policies: [VerificationPolicy(bundleID: app, method: .offline)], server: NoReceiptServer()),
      content: content, links: links, configuration: .init(port: 0),
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    return (service, link)
  }

  static func run(megabytes: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "download-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let content = try await FolderContentStore(folder: folder.appending(path: "content"))
    let stored = try await content.publish(Noise(chunks: megabytes), limitBytes: .max, expecting: .anything)
    print("\nDownloading \(megabytes) MiB over loopback, with curl")
    print("                                   MiB/s      ratio   resident MiB")
    let nginx = try await withNginx(folder) { try measure("\($0)/content/\(stored.digest)", folder) }
    print(String(format: "nginx (sendfile off)%20.0f", nginx))
    let (service, link) = try await service(of: content, stored)
    let ours = try await listening(service) { try measure("http://127.0.0.1:\($0)/v1/downloads/\(link)", folder) }
    print(
      String(format: "purchase server%25.0f%11.2f%15.0f", ours, ours / nginx, Report.mebibytes("VmHWM")))
  }

  private static func link(
    to stored: StoredContent, _ ledger: Ledger, _ links: DownloadLinkSigner
  ) async throws -> String {
    try await ledger.publish(LedgerProduct(id: product, type: .nonConsumable), app: app, by: "benchmark")
    let file = ContentFile(
      name: "all.bin", size: stored.size, sha256: stored.digest.description, mediaType: "application/octet-stream")
    let version = try await ledger.publish(files: [file], of: product, app: app, by: "benchmark").version
    let customer = try await ledger.identify(subject: "a reader").customer
    try await ledger.grant(
      .product(product, accessUntil: nil), to: customer, app: app, key: "1", reason: "benchmark", by: "benchmark")
    let deliveries = try await ledger.deliveries(of: customer, app: app)
    return links.token(
      for: links.link(to: stored.digest, contentVersion: version, deliveryID: deliveries[0].id))
  }

  /// Returns the best speed of three downloads, in MiB per second. The first download fills the page cache.
  private static func measure(_ url: String, _ folder: URL) throws -> Double {
    var best = 0.0
    for _ in 0..<3 {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/curl")
      process.arguments = ["-sf", "-o", "/dev/null", "-w", "%{speed_download}", url]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      guard process.terminationStatus == 0, let speed = Double(said) else { throw CancellationError() }
      best = max(best, speed / 1_048_576)
    }
    return best
  }

  /// Runs nginx without sendfile, and calls `body` with its address. Without sendfile, nginx copies data in user space,
  /// as every server with TLS has to.
  private static func withNginx<Value>(_ folder: URL, _ body: (String) throws -> Value) async throws -> Value {
    let port = Int.random(in: 20_000...29_999)
    let configuration = """
      daemon off; pid \(folder.path)/nginx.pid; error_log \(folder.path)/error.log; user root; worker_processes 1;
      events {}
      http {
        access_log off; client_body_temp_path \(folder.path); proxy_temp_path \(folder.path);
        fastcgi_temp_path \(folder.path); uwsgi_temp_path \(folder.path); scgi_temp_path \(folder.path);
        sendfile off; output_buffers 2 128k;
        server { listen 127.0.0.1:\(port); root \(folder.path); }
      }
      """
    let file = folder.appending(path: "nginx.conf")
    try Data(configuration.utf8).write(to: file)
    let nginx = Process()
    nginx.executableURL = URL(filePath: "/usr/sbin/nginx")
    nginx.arguments = ["-c", file.path]
    try nginx.run()
    defer { nginx.terminate() }
    while !FileManager.default.fileExists(atPath: "\(folder.path)/nginx.pid") {
      try await Task.sleep(for: .milliseconds(20))
    }
    return try body("http://127.0.0.1:\(port)")
  }

  static func listening<Value: Sendable>(
    _ service: PurchaseService, _ body: (Int) async throws -> Value
  ) async throws -> Value {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let services = ServiceGroup(
      services: [service.application { port.yield($0) }],
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await services.run() }
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      let value = try await body(number)
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return value
    }
  }

  /// A stream of chunks of 1 MiB that cannot be compressed.
  private struct Noise: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private static let piece = Array(
      sequence(state: SeededGenerator(seed: 1)) { $0.next() }.prefix(131_072).flatMap { number in
        withUnsafeBytes(of: number) { Array($0) }
      })
    private var rest: Int

    init(chunks: Int) { rest = chunks }

    func makeAsyncIterator() -> Noise { self }

    mutating func next() async -> ByteBuffer? {
      guard rest > 0 else { return nil }
      rest -= 1
      return ByteBuffer(bytes: Self.piece)
    }
  }

  /// A receipt server that is never called, because verification is offline.
  private struct NoReceiptServer: ReceiptServer {
    func post(
      _ body: Data, to url: URL, timeoutMilliseconds: Int64
    ) async throws(ReceiptServerFailure) -> ReceiptServerReply { throw .timeout }
  }
}
