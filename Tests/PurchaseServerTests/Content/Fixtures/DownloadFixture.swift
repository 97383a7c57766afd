import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ServiceLifecycle
import StoreModel
import Testing

@testable import PurchaseServer

/// A server that only serves downloads. Its clock stands still.
struct DownloadFixture: Sendable {
  let folder: ScratchFolder
  let clock = ManualClock(Sample.noon)
  let store: WatchedStore
  let links: DownloadLinkSigner
  let statuses = DeliveryStatuses()
  let responder: DownloadResponder

  init(_ limits: DownloadLimits = .init(), chunkBytes: Int = 128 * 1024) async throws {
    folder = try ScratchFolder()
    store = WatchedStore(try await FolderContentStore(folder: folder.url, chunkBytes: chunkBytes, clock: clock))
    links = DownloadLinkSigner(current: try Sample.key(1), clock: clock)
    responder = DownloadResponder(content: store, links: links, limits: limits) { [statuses] in statuses.status(of: $0)
    }
  }

  struct Context: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      channel = source.channel
    }
  }

  /// Discards all messages, because the tests cause errors on purpose.
  static let logger = Logger(label: "downloads") { _ in SwiftLogNoOpLogHandler() }

  func application(onReady: @escaping @Sendable (Int) async -> Void = { _ in }) -> some ApplicationProtocol {
    let router = Router(context: Context.self)
    for method in [HTTPRequest.Method.get, .head] {
      router.on("/v1/downloads/{token}", method: method) { [responder] request, context in
        try await responder.respond(
          to: request, token: try context.parameters.require("token"), over: context.channel, logger: Self.logger)
      }
    }
    return Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { await onReady($0.localAddress?.port ?? 0) }, logger: Self.logger)
  }

  /// Publishes content and begins a delivery of it. Returns the delivery and the path of a link.
  func offer(
    _ data: Data, name: String = "book.epub", mediaType: String = "application/epub+zip"
  ) async throws -> Offer {
    let content = try await store.publish(
      Sample.upload(data), limitBytes: .max, expecting: .init(digest: Sample.digest(data)))
    return offer(
      DownloadableFile(digest: content.digest, size: content.size, name: name, mediaType: mediaType))
  }

  func offer(_ file: DownloadableFile, version: Int64 = 1) -> Offer {
    let delivery = UUID()
    statuses[delivery] = .allowed(file)
    return Offer(delivery: delivery, file: file, path: path(delivery, file))
  }

  /// Returns the path of a link that is valid from now on.
  func path(_ delivery: UUID, _ file: DownloadableFile) -> String {
    "/v1/downloads/" + links.token(for: links.link(to: file.digest, contentVersion: 1, deliveryID: delivery))
  }

  struct Offer: Sendable {
    let delivery: UUID
    let file: DownloadableFile
    let path: String

    var tag: String { "\"\(file.digest)\"" }
  }

  /// Runs `body` with a client that calls the routes directly, without a network.
  func withClient<Value: Sendable>(
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Value
  ) async throws -> Value {
    try await application().test(.router) { try await body($0) }
  }

  /// Runs the server, and calls `body` with its port.
  func listening<Value: Sendable>(_ body: @Sendable (Int) async throws -> Value) async throws -> Value {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = application { continuation.yield($0) }
    let services = ServiceGroup(configuration: .init(services: [application], logger: Self.logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = await ports.first { _ in true }
      let result: Result<Value, any Error>
      do {
        result = .success(try await body(try #require(port, "the listener did not start")))
      } catch {
        result = .failure(error)
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return try result.get()
    }
  }
}
