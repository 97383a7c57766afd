import Foundation
import HTTPTransport
import Hummingbird
import NIOCore
import NIOPosix
import PurchaseLedger
import ServiceLifecycle
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Requests to the store over HTTP", .timeLimit(.minutes(30)))
struct HTTPReceiptServerTests {
  /// Runs a store that answers with `answer`, and sends it a request.
  private func ask(
    _ timeoutMilliseconds: Int64 = 300_000, at path: String = "/",
    _ answer: @escaping @Sendable (Request) async throws -> Response
  ) async throws -> Result<ReceiptServerReply, ReceiptServerFailure> {
    let router = Router()
    for path in ["/", "/elsewhere"] { router.post(RouterPath(path)) { request, _ in try await answer(request) } }
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: DownloadFixture.logger)
    let services = ServiceGroup(configuration: .init(services: [application], logger: DownloadFixture.logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = try #require(await ports.first { _ in true })
      let reply = await Self.post(to: "http://127.0.0.1:\(port)\(path)", timeoutMilliseconds)
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return reply
    }
  }

  private static func post(
    to address: String, _ timeoutMilliseconds: Int64
  ) async -> Result<ReceiptServerReply, ReceiptServerFailure> {
    let server = HTTPReceiptServer()
    let result: Result<ReceiptServerReply, ReceiptServerFailure>
    do throws(ReceiptServerFailure) {
      result = .success(
        try await server.post(
          Data(#"{"password":"c0ffee"}"#.utf8), to: URL(string: address)!, timeoutMilliseconds: timeoutMilliseconds))
    } catch {
      result = .failure(error)
    }
    do {
      try await server.close()
    } catch {
      Issue.record(error)
    }
    return result
  }

  @Test("the request is sent unchanged, as JSON; status, body, Retry-After and Date are returned")
  func answer() async throws {
    let reply = try await ask { request in
      let body = try await request.body.collect(upTo: 1_000)
      #expect(String(buffer: body) == #"{"password":"c0ffee"}"#)
      #expect(request.headers[.contentType] == "application/json")
      return Response(
        status: .serviceUnavailable, headers: [.retryAfter: "7"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: "{}")))
    }.get()
    #expect((reply.httpStatus, reply.body, reply.retryAfter) == (503, Data("{}".utf8), "7"))
    #expect(reply.date != nil)
  }

  @Test(
    "a redirection is not followed: the secret is only for the configured address", arguments: [301, 302, 307, 308])
  func redirection(status: Int) async throws {
    let gate = Counter()
    let reply = try await ask { request in
      gate.count()
      return Response(status: .init(code: status), headers: [.location: "/elsewhere"])
    }.get()
    #expect(reply.httpStatus == status)
    #expect(gate.value == 1)
  }

  @Test("an answer of more than 32 MiB is not read to its end")
  func tooLarge() async throws {
    let reply = try await ask { _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          let chunk = ByteBuffer(repeating: 0x20, count: 1 << 20)
          for _ in 0..<40 { try await writer.write(chunk) }
          try await writer.finish(nil)
        })
    }
    #expect(reply == .failure(.answerTooLarge))
  }

  @Test("the wait for an answer, and for the end of its body, is limited")
  func timeout() async throws {
    for sendsHead in [false, true] {
      let reply = try await ask(50) { _ in
        // Never answers, until the request is cancelled or the server stops.
        let end = AsyncStream<Void> { _ in }
        if !sendsHead {
          await withTaskCancellationOrShutdown { for await _ in end {} }
          return Response(status: .ok)
        }
        return Response(
          status: .ok,
          body: ResponseBody { writer in
            try await writer.write(ByteBuffer(string: "{"))
            await withTaskCancellationOrShutdown { for await _ in end {} }
            try await writer.finish(nil)
          })
      }
      #expect(reply == .failure(.timeout))
    }
  }

  /// A port at which nobody listens.
  private func closedPort() async throws -> Int {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(channel.localAddress?.port)
    try await channel.close()
    return port
  }

  @Test("the message about a call without an answer names the server, and not the transaction that the path has")
  func message() async throws {
    let (server, port) = (HTTPReceiptServer(), try await closedPort())
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/inApps/v1/transactions/2000000123"))
    let failure = await #expect(throws: HTTPFailure.self) {
      try await server.transport(timeoutSeconds: 3_600).reply(to: HTTPCall("GET", url))
    }
    let message = try #require(failure).description
    #expect(message.contains("http://127.0.0.1") && !message.contains("2000000123"), "\(message)")
    try await server.close()
  }

  @Test("a closed port is reported at once, with a message that does not contain the request")
  func deadPort() async throws {
    let port = try await closedPort()
    // The timeout is longer than the test's time limit, so the failure does not come from it.
    let reply = await Self.post(to: "http://127.0.0.1:\(port)/", 3_600_000)
    guard case .failure(.noConnection(let detail)) = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(!detail.contains("c0ffee"))
  }

  @Test("a connection that breaks during the answer is a failed request")
  func broken() async throws {
    let reply = try await ask { _ in
      Response(
        status: .ok, headers: [.contentLength: "100"],
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "{"))
          throw ReceiptServerFailure.timeout
        })
    }
    guard case .failure(.noConnection) = reply else {
      Issue.record("\(reply)")
      return
    }
  }

  private final class Counter: Sendable {
    private let times = LockedValue(0)
    func count() { times.withLock { $0 += 1 } }
    var value: Int { times.value }
  }
}

/// Runs `body` until it ends. Its task is cancelled when the server stops.
private func withTaskCancellationOrShutdown(_ body: @escaping @Sendable () async -> Void) async {
  await cancelWhenGracefulShutdown { await body() }
}
