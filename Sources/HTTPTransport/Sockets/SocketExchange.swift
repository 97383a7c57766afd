#if os(Linux)
  import Foundation
  import StoreModel

  /// One request and its response over one socket. It blocks the thread that performs it.
  final class SocketExchange: Sendable {
    private struct State: Sendable {
      var isCancelled = false
      /// ``cancel()`` writes to this socket to wake the performing thread. Negative while the exchange does not run.
      var wakeSocket: Int32 = -1
    }

    private let request: Data
    private let url: URL
    private let timeoutMilliseconds: Int32
    private let state = LockedValue(State())
    private let sink: any HTTPReplySink
    private let hasNoBody: Bool

    init(request: Data, url: URL, timeoutSeconds: Double, sink: any HTTPReplySink, hasNoBody: Bool) {
      self.request = request
      self.sink = sink
      self.hasNoBody = hasNoBody
      self.url = url
      timeoutMilliseconds = Self.milliseconds(timeoutSeconds)
    }

    /// Returns a timeout for poll(2), in whole milliseconds, rounded up. Too large values become the maximum. Zero,
    /// negative and NaN become 0: poll does not wait.
    static func milliseconds(_ seconds: Double) -> Int32 {
      let milliseconds = (seconds * 1000).rounded(.up)
      return milliseconds > 0 ? Int32(exactly: milliseconds) ?? .max : 0
    }

    /// Ends the exchange with `CancellationError`. May be called on any thread.
    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        if state.wakeSocket >= 0 { _ = write(state.wakeSocket, [1], 1) }
      }
    }

    /// Sends the request, and passes the response to the sink.
    ///
    /// - Throws: ``HTTPFailure``, an error of the sink, or `CancellationError`.
    func perform() throws {
      var pipes: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &pipes) == 0 else { throw unreachable(Self.errorMessage(errno)) }
      let wake = pipes[0]
      state.withLock { $0.wakeSocket = pipes[1] }
      defer {
        state.withLock { $0.wakeSocket = -1 }
        for end in pipes { close(end) }
      }
      let socket = try connected(wake)
      defer { close(socket) }
      try send(over: socket, wake)
      try receive(from: socket, wake)
    }

    // MARK: Steps

    /// Returns a socket that is connected to the first address of the host that accepts.
    private func connected(_ wake: Int32) throws -> Int32 {
      var hints = addrinfo()
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      var found: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(url.host() ?? "", String(url.port ?? 80), &hints, &found)
      guard code == 0, let first = found else { throw unreachable(String(cString: gai_strerror(code))) }
      defer { freeaddrinfo(first) }
      var failure = unreachable("there is no such host")
      for address in sequence(first: first, next: { $0.pointee.ai_next }) {
        let type = address.pointee.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = socket(address.pointee.ai_family, type, address.pointee.ai_protocol)
        guard socket >= 0 else {
          failure = unreachable(Self.errorMessage(errno))
          continue
        }
        do {
          try connect(socket, to: address.pointee, wake)
          return socket
        } catch let error as HTTPFailure {
          close(socket)
          failure = error
        } catch {
          close(socket)
          throw error
        }
      }
      throw failure
    }

    private func connect(_ socket: Int32, to address: addrinfo, _ wake: Int32) throws {
      if Foundation.connect(socket, address.ai_addr, address.ai_addrlen) != 0 {
        guard errno == EINPROGRESS else { throw unreachable(Self.errorMessage(errno)) }
        guard try wait(for: Int16(POLLOUT), on: socket, wake) else { throw unreachable("it does not answer") }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw unreachable(Self.errorMessage(code)) }
      }
      var on: Int32 = 1
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private func send(over socket: Int32, _ wake: Int32) throws {
      var sent = 0
      while sent < request.count {
        let count = request.withUnsafeBytes {
          Foundation.send(socket, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 {
          sent += count
        } else if errno == EAGAIN {
          guard try wait(for: Int16(POLLOUT), on: socket, wake) else { throw noAnswer("it does not take the request") }
        } else if errno != EINTR {
          // The server may have closed the connection early, after it sent a response with the reason.
          return
        }
      }
    }

    private func receive(from socket: Int32, _ wake: Int32) throws {
      var reader = HTTPReplyReader(hasNoBody: hasNoBody)
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0 {
          // If the body arrives faster than it is processed, `wait` is never called. So cancellation is checked here,
          // too.
          if state.withLock({ $0.isCancelled }) { throw CancellationError() }
          do {
            if try reader.take(buffer[..<count], for: sink) { return }
          } catch let fault as HTTPReplyReader.Fault {
            throw HTTPFailure.unintelligible(reason: "\(url.origin): \(fault)")
          }
        } else if count == 0 {
          guard reader.isWholeAtEnd else { throw noAnswer("it closed the connection before it had answered") }
          return
        } else if errno == EAGAIN {
          guard try wait(for: Int16(POLLIN), on: socket, wake) else { throw noAnswer("it did not answer in time") }
        } else if errno != EINTR {
          throw noAnswer(Self.errorMessage(errno))
        }
      }
    }

    // MARK: Waiting

    /// Waits until the socket is ready.
    ///
    /// - Returns: false after the timeout.
    private func wait(for events: Int16, on socket: Int32, _ wake: Int32) throws -> Bool {
      while true {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
        var descriptors = [
          pollfd(fd: socket, events: events, revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&descriptors, 2, timeoutMilliseconds)
        if count == 0 { return false }
        if count > 0, descriptors[1].revents == 0 { return true }
      }
    }

    private func unreachable(_ reason: String) -> HTTPFailure { .unreachable(reason: "\(url.origin): \(reason)") }

    private func noAnswer(_ reason: String) -> HTTPFailure { .noAnswer(reason: "\(url.origin): \(reason)") }

    private static func errorMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
  }
#endif
