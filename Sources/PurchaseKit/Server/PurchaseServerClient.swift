import Foundation
import HTTPTransport
import SignedData
import StoreModel

/// A client of the developer's purchase server (Documentation/purchase-server.md), for one app on one device.
///
/// ```swift
/// let server = PurchaseServerClient(
///   address, bundleID: "com.example.reader", device: .vendorIdentifier(identifierForVendor),
///   identity: .anonymous(SystemKeychain()))
/// let redemption = try await server.redeem(.appReceipt(receipt), [.init(transactionIdentifier: id)])
/// ```
///
/// Every request may be repeated: the server does nothing twice.
public final class PurchaseServerClient: Sendable {
  public let address: URL
  public let bundleID: BundleID

  private let device: DeviceIdentifier?
  private let transport: any HTTPSender
  private let source: TokenSource
  private let known: KnownCustomer
  let refreshReceipt: @Sendable () async throws -> Data
  let clock: any MachineClock

  private enum TokenSource: Sendable {
    case installation(InstallationRegister)
    case identified(@Sendable () async throws -> String)
  }

  /// - Parameters:
  ///   - address: the server's address, such as `https://purchases.example.com`. Tokens and receipts are sent to it, so use
  ///     `https` unless the server runs on the same machine.
  ///   - bundleID: the app.
  ///   - device: the identifier that the store issues receipts for. With it, the server recognises a reinstalled app as
  ///     its earlier customer.
  ///   - identity: how the app identifies itself. While an anonymous token cannot be read, each request throws
  ///     ``PurchaseServerError/identityUnreadable(item:reason:)``. The error may be temporary, for instance until the
  ///     device is unlocked.
  ///   - transport: sends the requests.
  ///   - refreshReceipt: requests a new app receipt from the store; nil for `SKReceiptRefreshRequest`. Called once if a
  ///     receipt was made in the same second in which this installation registered, so that the server cannot tell
  ///     which was first.
  ///   - clock: measures the pause before that.
  public init(
    _ address: URL, bundleID: BundleID, device: DeviceIdentifier?, identity: PurchaseServerIdentity,
    transport: any HTTPSender = SystemTransport(),
    refreshReceipt: (@Sendable () async throws -> Data)? = nil,
    clock: any MachineClock = SystemClock()
  ) {
    self.address = address
    self.bundleID = bundleID
    self.device = device
    self.transport = transport
    self.refreshReceipt = refreshReceipt ?? { try await ReceiptRefresh.receipt() }
    self.clock = clock
    let endpoints = ServerEndpoints(address, bundleID)
    switch identity {
    case .anonymous(let keys):
      // If the token cannot be read, the next request reads it again, and throws if that fails, too.
      known = KnownCustomer(try? InstallationRegister.load(keys, server: endpoints.app.absoluteString))
      source = .installation(
        InstallationRegister(keys: keys, server: endpoints.app.absoluteString) {
          try await Self.register(device, endpoints, transport)
        })
    case .identified(let token):
      known = KnownCustomer(nil)
      source = .identified(token)
    }
  }

  // MARK: The customer

  /// The customer's identifier if it is known without a request; see ``identify()``.
  public var customer: UUID? { known.customer }

  /// Registers the installation if needed, and requests the customer's identifier from the server.
  ///
  /// - Throws: ``PurchaseServerError``.
  @discardableResult
  public func identify() async throws -> UUID { try await requestCustomer(bearer(otherThan: nil)) }

  /// Forgets the customer until the server's next response. An app calls it when a customer signs in or out with the
  /// operator's identity system. Otherwise purchases and balances are treated as the earlier customer's until the next
  /// request.
  ///
  /// It has no effect for an anonymous installation.
  public func forgetCustomer() { if case .identified = source { known.forget() } }

  /// Returns the customer that an earlier customer of this installation has joined; the same customer if it joined none.
  func successor(of customer: UUID) -> UUID { known.successor(of: customer) }

  /// The customer of a request.
  struct Identity: Hashable, Sendable {
    let customer: UUID
    /// Identifies the customer in stored records. Unlike `customer`, it does not change if the server's ledger is
    /// restored from a backup without the customer and the server then issues another identifier. For an identified
    /// customer, it is a digest of the token's issuer and subject.
    let owner: String

    /// The owner of all anonymous customers of this device.
    static let installationOwner = "installation"
  }

  /// Whether the app identifies itself as this installation, and not as a customer of an identity system.
  var isAnonymous: Bool { if case .installation = source { true } else { false } }

  /// Returns the current customer. Asks the server only if the customer is not known.
  func currentIdentity() async throws -> Identity { try await identity(of: bearer(otherThan: nil)) }

  func identity(of bearer: ServerBearer) async throws -> Identity {
    identity(of: try await customer(of: bearer), bearer)
  }

  /// Returns the identity of a customer whom the server's response names. `bearer` is the bearer of the request.
  func identity(of customer: UUID, _ bearer: ServerBearer) -> Identity {
    let owner =
      switch source {
      case .installation: Identity.installationOwner
      case .identified: FileDigest(of: Data(bearer.subject.utf8)).description
      }
    return Identity(customer: customer, owner: owner)
  }

  /// - Throws: ``PurchaseServerError``; `customerChanged` if another customer signs in meanwhile.
  func customer(of bearer: ServerBearer) async throws -> UUID {
    if let customer = bearer.customer { return customer }
    _ = try await requestCustomer(bearer)
    guard let customer = known.customer(of: bearer.subject) else {
      throw PurchaseServerError.customerChanged
    }
    return customer
  }

  private func requestCustomer(_ bearer: ServerBearer) async throws -> UUID {
    struct Answer: Decodable { let customer: UUID }
    let (reply, answering) = try await answer(
      to: HTTPCall("GET", endpoints.app.appending(path: "customer")), by: bearer)
    let customer = try ServerEndpoints.decoded(Answer.self, from: reply).customer
    try await becomes(customer, answering)
    return customer
  }

  /// Records the customer that the server's response names. `bearer` is the bearer of the request.
  func becomes(_ customer: UUID, _ bearer: ServerBearer) async throws {
    switch source {
    case .installation(let register):
      known.join(customer, of: bearer.token)
      try await register.joined(customer, bearer.token)
    case .identified:
      known.know(customer, of: bearer.subject, asked: bearer.asked)
    }
  }

  private static func register(
    _ device: DeviceIdentifier?, _ endpoints: ServerEndpoints, _ transport: any HTTPSender
  ) async throws -> StoredInstallation {
    struct Answer: Decodable {
      let customer: UUID
      let token: String
    }
    let call = try endpoints.post(["device": device?.description].compactMapValues { $0 }, to: "installations")
    let answer = try ServerEndpoints.decoded(
      Answer.self, from: try await ServerEndpoints.answer(to: call, by: transport))
    return StoredInstallation(server: endpoints.app.absoluteString, customer: answer.customer, token: answer.token)
  }

  // MARK: Requests

  var endpoints: ServerEndpoints { ServerEndpoints(address, bundleID) }

  /// Sends a request as the current customer. If the token is refused, sends it again with another token, once.
  ///
  /// - Returns: the response, and the token of the request.
  func answer(to call: HTTPCall) async throws -> (HTTPReply, ServerBearer) {
    try await answer(to: call, by: bearer(otherThan: nil))
  }

  private func answer(to call: HTTPCall, by bearer: ServerBearer) async throws -> (HTTPReply, ServerBearer) {
    let reply = try await ServerEndpoints.answer(to: call.with(token: bearer.token), by: transport)
    guard isRefused(bearer, by: reply) else { return (reply, bearer) }
    let newer = try await self.bearer(otherThan: bearer.token)
    guard newer.token != bearer.token else { return (reply, bearer) }
    return (try await ServerEndpoints.answer(to: call.with(token: newer.token), by: transport), newer)
  }

  /// Whether the response refuses the token, so that another token may help.
  private func isRefused(_ bearer: ServerBearer, by reply: HTTPReply) -> Bool {
    guard reply.status == 401 else { return false }
    // A new registration makes a new customer. A status 401 of a gateway must not cause that, so the server's own code is
    // required.
    guard case .installation = source else { return true }
    return ["tokenRefused", "signInAgain"].contains(ServerRefusal(reply.head, reply.body).code)
  }

  /// Sends a request as `customer`, never as another customer who signs in meanwhile.
  ///
  /// - Returns: the response, and the token of the request.
  /// - Throws: ``OtherCustomer`` if the token belongs to another customer; the request was not carried out then.
  func answer(to call: HTTPCall, as customer: UUID) async throws -> (HTTPReply, ServerBearer) {
    let bearer = try await bearer(otherThan: nil)
    guard try await isOf(customer, bearer) else { throw OtherCustomer() }
    let reply = try await ServerEndpoints.answer(to: call.with(token: bearer.token), by: transport)
    guard isRefused(bearer, by: reply) else { return (reply, bearer) }
    let newer = try await self.bearer(otherThan: bearer.token)
    guard newer.token != bearer.token else { return (reply, bearer) }
    guard try await isOf(customer, newer) else { throw OtherCustomer() }
    return (try await ServerEndpoints.answer(to: call.with(token: newer.token), by: transport), newer)
  }

  /// Thrown when a request for one customer would be sent with another customer's token, or was answered for another
  /// customer.
  struct OtherCustomer: Error {}

  private func isOf(_ customer: UUID, _ bearer: ServerBearer) async throws -> Bool {
    if let known = bearer.customer {
      if known == successor(of: customer) { return true }
      // The customer of an identified token never changes. The customer of an installation's token changes if the
      // server joins it with another customer, so the server is asked.
      guard case .installation = source else { return false }
    }
    return try await requestCustomer(bearer) == successor(of: customer)
  }

  func read<Answer: Decodable>(_ type: Answer.Type, _ call: HTTPCall) async throws -> Answer {
    try ServerEndpoints.decoded(type, from: try await answer(to: call).0)
  }

  /// Sends a request without a token.
  func open(_ call: HTTPCall) async throws -> HTTPReply { try await ServerEndpoints.answer(to: call, by: transport) }

  /// Sends a request for a file; see ``HTTPTransport/HTTPSender``.
  func download(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    try await transport.send(call, to: sink)
  }

  private func bearer(otherThan refused: String?) async throws -> ServerBearer {
    let asked = known.asking
    switch source {
    case .installation(let register):
      let installation = try await register.installation(otherThan: refused)
      return ServerBearer(
        token: installation.token, subject: installation.token, customer: known.customer(of: installation), asked: asked
      )
    case .identified(let token):
      let token = try await token()
      let subject = ServerBearer.subject(of: token)
      return ServerBearer(token: token, subject: subject, customer: known.customer(of: subject), asked: asked)
    }
  }
}

extension HTTPCall {
  fileprivate func with(token: String) -> HTTPCall {
    var call = self
    call.fields["Authorization"] = "Bearer \(token)"
    return call
  }
}
