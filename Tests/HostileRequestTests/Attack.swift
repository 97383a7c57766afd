import Foundation
import HTTPTypes
import StoreModel
import Testing
import WebSupport

/// Requests of all kinds at all endpoints of a server.
struct Attack {
  let server: HostileServer
  let seed: UInt64
  private let check: CostCheck
  private let values = HostileValueCache()

  /// The size of hostile header fields: a little less than the purchase server accepts.
  private static let headBytes = 30_000
  /// The tried sizes of bodies, largest first. The first that is not refused is the endpoint's limit.
  private static let bodySizes = [12 << 20, 4 << 20, 1 << 20, 256 << 10, 64 << 10, 16 << 10, 4 << 10]
  /// The largest body of a pass over everything. Random requests have larger ones.
  private static let usualBodyBytes = 1 << 20
  private static let fields = [
    "Accept-Language", "Authorization", "Cookie", "X-Forwarded-For", "If-None-Match", "If-Range", "Range", "Host",
    "Origin", "Content-Type", "X-Request-Id", "Forwarded", "X-Other",
  ]

  init(server: HostileServer, seed: UInt64) {
    self.server = server
    self.seed = seed
    check = CostCheck(server: server.measured)
  }

  /// One pass over every endpoint: every value in a body, at alternating positions, and every header field, parameter and
  /// the query, with alternating values.
  func everything() async throws {
    try await onThreadOfItsOwn {
      var turn = 0
      for endpoint in server.endpoints {
        let limit = try bodyLimit(of: endpoint, upTo: Self.usualBodyBytes)
        for value in endpoint.takesBody ? HostileValue.json : [] {
          turn += 1
          try sendBody(value, at: endpoint.positions[turn % endpoint.positions.count], of: endpoint, limit)
        }
        for field in Self.fields {
          turn += 1
          try sendField(field, HostileValue.fields[turn % HostileValue.fields.count], to: endpoint)
        }
        for position in 0..<endpoint.parameterCount {
          turn += 1
          try sendPath(HostileValue.addresses[turn % HostileValue.addresses.count], at: position, of: endpoint)
        }
        turn += 1
        try sendQuery(HostileValue.queries[turn % HostileValue.queries.count], to: endpoint)
      }
    }
  }

  /// Sends values to random endpoints and positions for a number of seconds.
  func atRandom(seconds: Int) async throws {
    try await onThreadOfItsOwn {
      var generator = SeededGenerator(seed: seed)
      var limits: [String: Int] = [:]
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {
        guard let endpoint = server.endpoints.randomElement(using: &generator) else { return }
        let limit = try limits[endpoint.description] ?? bodyLimit(of: endpoint)
        limits[endpoint.description] = limit
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
          try sendField(
            Self.fields.randomElement(using: &generator)!, HostileValue.fields.randomElement(using: &generator)!,
            to: endpoint
          )
        case 1: try sendQuery(HostileValue.queries.randomElement(using: &generator)!, to: endpoint)
        case 2 where endpoint.parameterCount > 0:
          try sendPath(
            HostileValue.addresses.randomElement(using: &generator)!,
            at: Int.random(in: 0..<endpoint.parameterCount, using: &generator), of: endpoint)
        default:
          guard endpoint.takesBody else { continue }
          try sendBody(
            HostileValue.json.randomElement(using: &generator)!,
            at: endpoint.positions.randomElement(using: &generator)!,
            of: endpoint, limit)
        }
      }
    }
  }

  // MARK: Requests

  private func sendBody(
    _ value: HostileValue, at position: Endpoint.Position, of endpoint: Endpoint, _ limit: Int
  ) throws {
    let fields = try server.credentials(endpoint)
    // In steps, so that many positions have values of the same sizes, which are made once.
    let around = ((position.before.utf8.count + position.after.utf8.count) / 512 + 1) * 512
    try check.isLinear("seed \(seed): \(endpoint), \(value) at \(position.name)", upTo: limit) { size in
      // Leaves room for brackets and rounding.
      let body =
        Array(position.before.utf8) + values.bytes(of: value, max(8, size - around - size / 16))
        + Array(position.after.utf8)
      return HostileRequest(endpoint.route.method, endpoint.path(server.values), fields: fields, body: body)
    }
  }

  private func sendField(_ name: String, _ value: HostileValue, to endpoint: Endpoint) throws {
    let own = try server.credentials(endpoint).filter { $0.name != name }
    try check.isLinear("seed \(seed): \(endpoint), \(name) of \(value)", upTo: Self.headBytes) { size in
      let prefix = name == "Authorization" ? Array("Bearer ".utf8) : []
      return HostileRequest(
        endpoint.route.method, endpoint.path(server.values), fields: own + [(name, prefix + value.bytes(size))],
        body: endpoint.takesBody ? Array("{}".utf8) : nil)
    }
  }

  private func sendPath(_ value: HostileValue, at position: Int, of endpoint: Endpoint) throws {
    let own = try server.credentials(endpoint)
    try check.isLinear("seed \(seed): \(endpoint), path of \(value)", upTo: Self.headBytes) { size in
      HostileRequest(
        endpoint.route.method, endpoint.path(server.values, hostile: (position, value.bytes(size))), fields: own,
        body: endpoint.takesBody ? Array("{}".utf8) : nil)
    }
  }

  private func sendQuery(_ value: HostileValue, to endpoint: Endpoint) throws {
    let own = try server.credentials(endpoint)
    try check.isLinear("seed \(seed): \(endpoint), \(value)", upTo: Self.headBytes) { size in
      HostileRequest(
        endpoint.route.method, endpoint.path(server.values) + Array("?".utf8) + value.bytes(size), fields: own,
        body: endpoint.takesBody ? Array("{}".utf8) : nil)
    }
  }

  /// The largest body that the endpoint does not refuse for its size.
  private func bodyLimit(of endpoint: Endpoint, upTo largest: Int = .max) throws -> Int {
    guard endpoint.takesBody else { return 0 }
    for size in Self.bodySizes where size <= largest {
      let request = HostileRequest(
        endpoint.route.method, endpoint.path(server.values), fields: try server.credentials(endpoint),
        body: Array(repeating: UInt8(ascii: " "), count: size))
      if try server.measured.measure(request).answer.status != 413 { return size }
    }
    return Self.bodySizes.last ?? 0
  }

  /// Runs `work` on a separate thread, because poll(2) would block a thread of the shared pool.
  private func onThreadOfItsOwn(_ work: @escaping () throws -> Void) async throws {
    nonisolated(unsafe) let work = work
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread { continuation.resume(with: Result { try work() }) }.start()
    }
  }
}
