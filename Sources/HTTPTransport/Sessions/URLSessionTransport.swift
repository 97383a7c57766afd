import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP by URLSession: over TLS, which takes more than a socket.
///
/// Data tasks with a delegate, not download tasks, whose resume data are always nil on Linux and which end late when cancelled.
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
    // A connection of its own for each call. When one that was used before is reset, libcurl silently sends the request
    // again, URLSession on Linux does not give it the body again, and both ends wait for each other for ever.
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
