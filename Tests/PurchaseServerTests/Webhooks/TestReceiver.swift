import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import StoreModel
import Testing

@testable import PurchaseServer

/// A receiver of webhooks on this machine.
final class TestReceiver: Sendable {
  struct Received: Sendable {
    let path: String
    let fields: HTTPFields
    let body: Data

    /// The message.
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
    var data: [String: Any] { object["data"] as? [String: Any] ?? [:] }
    var type: String? { object["type"] as? String }
    var id: String? { field("webhook-id") }

    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
  }

  typealias Answer = @Sendable (Received) async throws -> Response

  private let received = LockedValue<[Received]>([])
  private let current: LockedValue<Answer>
  private let changes = ChangeSignal(machine: SystemClock())
  /// The port, when it listens.
  let port: Int

  private init(port: Int, answer: @escaping Answer) {
    self.port = port
    current = LockedValue(answer)
  }

  var url: String { "http://localhost:\(port)/hook" }

  /// All requests so far, in the order in which their bodies arrived.
  var messages: [Received] { received.value }

  /// How it answers from now on.
  func answer(_ answer: @escaping Answer) { current.value = answer }

  /// Answers with a status from now on.
  func answer(_ status: Int) { answer { _ in Response(status: .init(code: status)) } }

  /// Answers with a status and the message that it has got from now on.
  func echo(_ status: Int) {
    answer { message in
      Response(
        status: .init(code: status), body: ResponseBody(byteBuffer: ByteBuffer(bytes: message.body)))
    }
  }

  /// Returns when a number of requests have arrived.
  func untilReceived(_ count: Int) async {
    while true {
      let seen = changes.count
      if received.value.count >= count { return }
      await changes.wait(beyond: seen, seconds: 1_800)
    }
  }

  private func take(_ request: Received) async throws -> Response {
    received.withLock { $0.append(request) }
    changes.notify()
    return try await current.value(request)
  }

  /// Listens at a free port, and calls `body`.
  ///
  /// - Parameter answer: the answer to each request; 200 without it.
  static func listening<Value: Sendable>(
    at host: String = "127.0.0.1", answer: @escaping Answer = { _ in Response(status: .ok) },
    _ body: @escaping @Sendable (TestReceiver) async throws -> Value
  ) async throws -> Value {
    let made = LockedValue<TestReceiver?>(nil)
    let router = Router()
    for path in ["/hook", "/elsewhere"] {
      router.post(RouterPath(path)) { request, _ in
        let bytes = try await request.body.collect(upTo: 1 << 20)
        let message = Received(path: path, fields: request.headers, body: Data(buffer: bytes))
        guard let receiver = made.value else { return Response(status: .serviceUnavailable) }
        return try await receiver.take(message)
      }
    }
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: .init(address: .hostname(host, port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: DownloadFixture.logger)
    let services = ServiceGroup(configuration: .init(services: [application], logger: DownloadFixture.logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let receiver = TestReceiver(port: try #require(await ports.first { _ in true }), answer: answer)
      made.value = receiver
      let result: Result<Value, any Error>
      do {
        result = .success(try await body(receiver))
      } catch {
        result = .failure(error)
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return try result.get()
    }
  }

  /// Waits as long as the server runs: an answer that never comes.
  static func never() async {
    await cancelWhenGracefulShutdown {
      let end = AsyncStream<Void> { _ in }
      for await _ in end {}
    }
  }
}
