#if URLSession
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Sends HTTP requests by URLSession. It is needed for TLS.
  ///
  /// Uses data tasks with a delegate. Download tasks on Linux never have resume data, and end late when they are
  /// cancelled.
  final class URLSessionTransport: HTTPSender {
    private let session: URLSession
    private let exchanges = SessionExchanges()

    init(timeoutSeconds: Double) {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = timeoutSeconds
      session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      var request = URLRequest(url: call.url)
      request.httpMethod = call.method
      for (name, value) in call.fields { request.setValue(value, forHTTPHeaderField: name) }
      // Each request uses its own connection. When a reused connection is reset, libcurl silently sends the request
      // again. On Linux, URLSession does not provide the body again, and both ends wait for each other forever.
      request.setValue("close", forHTTPHeaderField: "Connection")
      request.httpBody = call.body
      let task = session.dataTask(with: request)
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          exchanges.begin(task, sink, continuation)
          task.resume()
          if Task.isCancelled { task.cancel() }
        }
      } onCancel: {
        task.cancel()
      }
    }
  }
#endif
