import AsyncHTTPClient
import NIOCore
import StoreModel
import WebSupport

/// HTTP clients, each of which connects to one address for one host.
///
/// The certificate must be for the host's name, and the connection is made to the address. A client makes a new connection for each
/// request. It is kept because its TLS context, with the certificates that the machine trusts, takes long to make.
final class WebhookClients: Sendable {
  /// A connection that leads elsewhere than it was meant to.
  struct WrongPeer: Error, CustomStringConvertible {
    let description = "The connection leads to another address than the one that was checked."
  }

  private struct Key: Hashable, Sendable {
    let host: String
    let address: NetworkAddress
  }

  private struct Entry: Sendable {
    let client: HTTPClient
    var uses = 0
    var lastUse = 0
  }

  private struct State: Sendable {
    var entries: [Key: Entry] = [:]
    var uses = 0
    var isClosed = false
  }

  /// The maximum number of clients that are kept.
  private static let most = 64
  /// The time to make a connection, after which the next address is tried, in seconds.
  private static let connectSeconds: Int64 = 5

  private let state = LockedValue(State())

  /// Calls `body` with a client that sends requests for a host to one of its addresses.
  func with<Value: Sendable>(
    host: String, at address: NetworkAddress, _ body: @Sendable (HTTPClient) async throws -> Value
  ) async throws -> Value {
    let key = Key(host: host, address: address)
    let (client, surplus) = try take(key)
    defer { giveBack(key) }
    if let surplus { try? await surplus.shutdown() }
    return try await body(client)
  }

  /// Closes all clients. Requests under way fail.
  func close() async throws {
    let clients = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [:] }
      return state.entries.values.map(\.client)
    }
    for client in clients { try await client.shutdown() }
  }

  /// Returns a client, and one that is not needed any more if there are too many.
  private func take(_ key: Key) throws -> (HTTPClient, HTTPClient?) {
    try state.withLock { state in
      guard !state.isClosed else { throw CancellationError() }
      state.uses += 1
      var entry = state.entries[key] ?? Entry(client: Self.client(host: key.host, at: key.address))
      entry.uses += 1
      entry.lastUse = state.uses
      state.entries[key] = entry
      guard state.entries.count > Self.most else { return (entry.client, nil) }
      let idle = state.entries.filter { $0.value.uses == 0 }.min { $0.value.lastUse < $1.value.lastUse }
      if let idle { state.entries[idle.key] = nil }
      return (entry.client, idle?.value.client)
    }
  }

  private func giveBack(_ key: Key) {
    state.withLock { state in
      guard var entry = state.entries[key] else { return }
      entry.uses -= 1
      state.entries[key] = entry
    }
  }

  private static func client(host: String, at address: NetworkAddress) -> HTTPClient {
    var configuration = HTTPClient.Configuration.singletonConfiguration.checkingStatus()
    // A redirect could lead to an address that was not checked.
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    // The next attempt has its own check. Otherwise the client would retry until the timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.maximumUsesPerConnection = 1
    configuration.timeout.connect = .seconds(connectSeconds)
    // A host that is an address needs no override.
    if NetworkAddress(host) == nil { configuration.dnsOverride = [host: address.description] }
    let checksStatus = configuration.http1_1ConnectionDebugInitializer
    // The library reads the URL itself. If it found another host in it, the override would have no effect.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      guard channel.remoteAddress?.ipAddress.flatMap(NetworkAddress.init) == address else {
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(WrongPeer())
      }
      return checksStatus?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
    }
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }
}
