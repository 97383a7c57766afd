import Foundation
import HTTPExchange
import SignedData
import StoreModel

/// Asks the developer's purchase server (Documentation/purchase-server.md) on behalf of one app on one device.
///
/// ```swift
/// let server = PurchaseServerClient(
///   address, bundleID: "com.example.reader", device: .vendorIdentifier(identifierForVendor),
///   identity: .anonymous(SystemKeychain()))
/// let redemption = try await server.redeem(.appReceipt(receipt), [.init(transactionIdentifier: id)])
/// ```
///
/// Every call may be repeated: nothing is done twice.
public final class PurchaseServerClient: Sendable {
  /// The server's address.
  public let address: URL
  /// The app.
  public let bundleID: BundleID

  private let device: DeviceIdentifier?
  private let transport: any HTTPTransport
  private let bearer: Bearer
  private let known: KnownCustomer

  private enum Bearer: Sendable {
    case installation(InstallationRegister)
    case identified(@Sendable () async throws -> String)
  }

  /// - Parameters:
  ///   - address: the server's, such as `https://purchases.example.com`. Tokens and receipts go there: use `https` for anything
  ///     but a server on the same machine.
  ///   - bundleID: the app.
  ///   - device: what the store issues receipts for. With it, a reinstalled app finds the customer it was.
  ///   - identity: as whom to ask.
  ///   - transport: carries requests.
  public init(
    _ address: URL, bundleID: BundleID, device: DeviceIdentifier?, identity: PurchaseServerIdentity,
    transport: any HTTPTransport = SystemTransport()
  ) {
    self.address = address
    self.bundleID = bundleID
    self.device = device
    self.transport = transport
    let doors = ServerDoors(address, bundleID)
    switch identity {
    case .anonymous(let keys):
      known = KnownCustomer(try? InstallationRegister.load(keys, server: doors.app.absoluteString)?.customer)
      bearer = .installation(
        InstallationRegister(keys: keys, server: doors.app.absoluteString) {
          try await Self.register(device, doors, transport)
        })
    case .identified(let token):
      known = KnownCustomer(nil)
      bearer = .identified(token)
    }
  }

  // MARK: Who asks

  /// The customer's id, as far as it is known without asking; see ``identify()``.
  public var customer: UUID? { known.customer }

  /// Registers the installation if need be, and asks the server who the customer is.
  @discardableResult
  public func identify() async throws -> UUID {
    struct Answer: Decodable { let customer: UUID }
    let answer = try await read(Answer.self, HTTPCall("GET", doors.app.appending(path: "customer")))
    try await becomes(answer.customer)
    return answer.customer
  }

  /// The server named whose the goods are.
  func becomes(_ customer: UUID) async throws {
    known.customer = customer
    if case .installation(let register) = bearer { try await register.joined(customer) }
  }

  private static func register(
    _ device: DeviceIdentifier?, _ doors: ServerDoors, _ transport: any HTTPTransport
  ) async throws -> StoredInstallation {
    struct Answer: Decodable {
      let customer: UUID
      let token: String
    }
    let call = try doors.post(["device": device?.description].compactMapValues { $0 }, to: "installations")
    let answer = try ServerDoors.decoded(Answer.self, from: try await ServerDoors.answer(to: call, by: transport))
    return StoredInstallation(server: doors.app.absoluteString, customer: answer.customer, token: answer.token)
  }

  // MARK: Asking

  var doors: ServerDoors { ServerDoors(address, bundleID) }

  /// Asks as the customer. A token that is refused is replaced once.
  func answer(to call: HTTPCall) async throws -> HTTPReply {
    let token = try await token(otherThan: nil)
    let reply = try await ServerDoors.answer(to: call.with(token: token), by: transport)
    guard reply.status == 401 else { return reply }
    let newer = try await self.token(otherThan: token)
    guard newer != token else { return reply }
    return try await ServerDoors.answer(to: call.with(token: newer), by: transport)
  }

  func read<Answer: Decodable>(_ type: Answer.Type, _ call: HTTPCall) async throws -> Answer {
    try ServerDoors.decoded(type, from: try await answer(to: call))
  }

  /// Asks what anybody may.
  func open(_ call: HTTPCall) async throws -> HTTPReply { try await ServerDoors.answer(to: call, by: transport) }

  /// Sends a request for a file; see ``HTTPExchange/HTTPTransport``.
  func download(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    try await transport.send(call, to: sink)
  }

  private func token(otherThan refused: String?) async throws -> String {
    switch bearer {
    case .installation(let register):
      let installation = try await register.installation(otherThan: refused)
      known.customer = installation.customer
      return installation.token
    case .identified(let token): return try await token()
    }
  }
}

/// Whom the server took the installation for when it last said so.
private final class KnownCustomer: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: UUID?

  init(_ customer: UUID?) { stored = customer }

  var customer: UUID? {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}

extension HTTPCall {
  fileprivate func with(token: String) -> HTTPCall {
    var call = self
    call.fields["Authorization"] = "Bearer \(token)"
    return call
  }
}
