#if URLSession
  import Foundation
  import StoreModel

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Receives the events of a URLSession's tasks, and passes each to the sink and the caller of its task.
  final class SessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange: Sendable {
      let sink: any HTTPReplySink
      let continuation: CheckedContinuation<Void, any Error>
      /// The error that the sink threw, or the error of a response that is not HTTP.
      var failure: (any Error)?
    }

    /// The running exchanges, by the task's identifier.
    private let exchanges = LockedValue<[Int: Exchange]>([:])

    func begin(
      _ task: URLSessionTask, _ sink: any HTTPReplySink, _ continuation: CheckedContinuation<Void, any Error>
    ) {
      exchanges.withLock { $0[task.taskIdentifier] = Exchange(sink: sink, continuation: continuation) }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      pass(dataTask) { sink in
        guard let response = response as? HTTPURLResponse else {
          throw HTTPFailure.unintelligible(reason: "\(dataTask.name) does not speak HTTP")
        }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
        try sink.begin(HTTPReplyHead(status: response.statusCode, fields: fields))
      }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      pass(dataTask) { try $0.take(data) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
      if let failure = exchange.failure {
        exchange.continuation.resume(throwing: failure)
      } else if let error {
        exchange.continuation.resume(throwing: Self.failure(error, task))
      } else {
        exchange.continuation.resume()
      }
    }

    /// Passes an event to the task's sink. The delegate's queue is serial, so a sink gets one event at a time.
    private func pass(_ task: URLSessionTask, _ send: (any HTTPReplySink) throws -> Void) {
      guard let exchange = exchanges.withLock({ $0[task.taskIdentifier] }), exchange.failure == nil else { return }
      do {
        try send(exchange.sink)
      } catch {
        exchanges.withLock { $0[task.taskIdentifier]?.failure = error }
        task.cancel()
      }
    }

    private static func failure(_ error: any Error, _ task: URLSessionTask) -> any Error {
      let reason = "\(task.name): \(error.localizedDescription)"
      switch (error as? URLError)?.code {
      case .cancelled: return CancellationError()
      case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
        return HTTPFailure.unreachable(reason: reason)
      default: return HTTPFailure.noAnswer(reason: reason)
      }
    }
  }

  extension URLSessionTask {
    fileprivate var name: String { originalRequest?.url?.origin ?? "the server" }
  }
#endif
