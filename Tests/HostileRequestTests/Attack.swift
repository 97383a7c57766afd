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

  /// The head of a request, beside what every one has: a little less than the purchase server takes.
  private static let headBytes = 30_000
  /// What a body may be, from the largest that is tried: the first that is not refused is the endpoint's limit.
  private static let bodySizes = [12 << 20, 4 << 20, 1 << 20, 256 << 10, 64 << 10, 16 << 10, 4 << 10]
  private static let fields = [
    "Accept-Language", "Authorization", "Cookie", "X-Forwarded-For", "If-None-Match", "If-Range", "Range", "Host",
    "Origin", "Content-Type", "X-Request-Id", "Forwarded", "X-Other",
  ]

  init(server: HostileServer, seed: UInt64) {
    self.server = server
    self.seed = seed
    check = CostCheck(server: server.measured)
  }

  /// One pass over every endpoint: every value in a body, at a place by turns, and every header field, parameter and
  /// the query, with values by turns.
  func everything() async throws {
    try await onThreadOfItsOwn {
      var turn = 0
      for endpoint in server.endpoints {
        let limit = try bodyLimit(of: endpoint)
        for value in endpoint.takesBody ? HostileValue.json : [] {
          turn += 1
          try sendBody(value, at: endpoint.places[turn % endpoint.places.count], of: endpoint, limit)
        }
        for field in Self.fields {
          turn += 1
          try sendField(field, HostileValue.fields[turn % HostileValue.fields.count], to: endpoint)
        }
        for place in 0..<endpoint.parameterCount {
          turn += 1
          try sendPath(HostileValue.addresses[turn % HostileValue.addresses.count], at: place, of: endpoint)
        }
        turn += 1
        try sendQuery(HostileValue.queries[turn % HostileValue.queries.count], to: endpoint)
      }
    }
  }

  /// Endpoints, places and values by chance, for so long.
  func atRandom(seconds: Int) async throws {
    try await onThreadOfItsOwn {
      var chance = SeededGenerator(seed: seed)
      var limits: [String: Int] = [:]
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {
        guard let endpoint = server.endpoints.randomElement(using: &chance) else { return }
        let limit = try limits[endpoint.description] ?? bodyLimit(of: endpoint)
        limits[endpoint.description] = limit
        switch Int.random(in: 0..<8, using: &chance) {
        case 0:
          try sendField(
            Self.fields.randomElement(using: &chance)!, HostileValue.fields.randomElement(using: &chance)!, to: endpoint
          )
        case 1: try sendQuery(HostileValue.queries.randomElement(using: &chance)!, to: endpoint)
        case 2 where endpoint.parameterCount > 0:
          try sendPath(
            HostileValue.addresses.randomElement(using: &chance)!,
            at: Int.random(in: 0..<endpoint.parameterCount, using: &chance), of: endpoint)
        default:
          guard endpoint.takesBody else { continue }
          try sendBody(
            HostileValue.json.randomElement(using: &chance)!, at: endpoint.places.randomElement(using: &chance)!,
            of: endpoint, limit)
        }
      }
    }
  }

  // MARK: Requests

  private func sendBody(
    _ value: HostileValue, at place: Endpoint.Place, of endpoint: Endpoint, _ limit: Int
  ) throws {
    let fields = try server.credentials(endpoint)
    let around = place.before.utf8.count + place.after.utf8.count
    try check.isLinear("seed \(seed): \(endpoint), \(value) at \(place.name)", upTo: limit) { size in
      // A little is kept for what brackets and rounding add.
      let body = Array(place.before.utf8) + value.bytes(max(8, size - around - size / 16)) + Array(place.after.utf8)
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

  private func sendPath(_ value: HostileValue, at place: Int, of endpoint: Endpoint) throws {
    let own = try server.credentials(endpoint)
    try check.isLinear("seed \(seed): \(endpoint), path of \(value)", upTo: Self.headBytes) { size in
      HostileRequest(
        endpoint.route.method, endpoint.path(server.values, hostile: (place, value.bytes(size))), fields: own,
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
  private func bodyLimit(of endpoint: Endpoint) throws -> Int {
    guard endpoint.takesBody else { return 0 }
    for size in Self.bodySizes {
      let request = HostileRequest(
        endpoint.route.method, endpoint.path(server.values), fields: try server.credentials(endpoint),
        body: Array(repeating: UInt8(ascii: " "), count: size))
      if try server.measured.measure(request).answer.status != 413 { return size }
    }
    return Self.bodySizes.last ?? 0
  }

  /// Sockets are waited for with poll(2), which must hold none of the threads that other tests share.
  private func onThreadOfItsOwn(_ work: @escaping () throws -> Void) async throws {
    nonisolated(unsafe) let work = work
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread { continuation.resume(with: Result { try work() }) }.start()
    }
  }
}
