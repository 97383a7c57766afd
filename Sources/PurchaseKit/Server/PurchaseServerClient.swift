import Foundation
import HTTPTransport
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
  private let transport: any HTTPSender
  private let source: TokenSource
  private let known: KnownCustomer

  private enum TokenSource: Sendable {
    case installation(InstallationRegister)
    case identified(@Sendable () async throws -> String)
  }

  /// - Parameters:
  ///   - address: the server's, such as `https://purchases.example.com`. Tokens and receipts go there: use `https` for anything
  ///     but a server on the same machine.
  ///   - bundleID: the app.
  ///   - device: what the store issues receipts for. With it, a reinstalled app finds the customer it was.
  ///   - identity: as whom to ask. That an anonymous one's token cannot be read, each call says with
  ///     ``PurchaseServerError/identityUnreadable(item:reason:)``, until it can be: a device that is locked at launch is unlocked later.
  ///   - transport: carries requests.
  public init(
    _ address: URL, bundleID: BundleID, device: DeviceIdentifier?, identity: PurchaseServerIdentity,
    transport: any HTTPSender = SystemTransport()
  ) {
    self.address = address
    self.bundleID = bundleID
    self.device = device
    self.transport = transport
    let doors = ServerEndpoints(address, bundleID)
    switch identity {
    case .anonymous(let keys):
      // One that cannot be read is not passed over: whatever is asked reads it again, and throws.
      known = KnownCustomer(try? InstallationRegister.load(keys, server: doors.app.absoluteString))
      source = .installation(
        InstallationRegister(keys: keys, server: doors.app.absoluteString) {
          try await Self.register(device, doors, transport)
        })
    case .identified(let token):
      known = KnownCustomer(nil)
      source = .identified(token)
    }
  }

  // MARK: Who asks

  /// The customer's id, as far as it is known without asking; see ``identify()``.
  public var customer: UUID? { known.customer }

  /// Registers the installation if need be, and asks the server who the customer is.
  @discardableResult
  public func identify() async throws -> UUID { try await askWho(bearer(otherThan: nil)) }

  /// Forgets who the customer is, until the server has named one again. To be called when the app signs somebody in or out with the
  /// operator's identity system: otherwise a purchase or balance counts as the one's before until something was asked.
  ///
  /// An anonymous installation stays whom it is.
  public func forgetCustomer() { if case .identified = source { known.forget() } }

  /// Who a customer is by now: an installation may have been joined with the customer that an earlier one made.
  func successor(of customer: UUID) -> UUID { known.successor(of: customer) }

  /// As whom the server is asked.
  struct Identity: Hashable, Sendable {
    let customer: UUID
    /// Stays the same when the server calls the customer by another id, as it does when its ledger was restored from a
    /// backup that does not have the customer. Of an identified customer a digest of what the identity system calls them.
    let owner: String
  }

  /// Who is asking at this moment; without asking the server where that is known.
  func currentIdentity() async throws -> Identity { try await identity(of: bearer(otherThan: nil)) }

  func identity(of bearer: ServerBearer) async throws -> Identity {
    let owner =
      switch source {
      case .installation: "installation"
      case .identified: FileDigest(of: Data(bearer.subject.utf8)).description
      }
    return Identity(customer: try await customer(of: bearer), owner: owner)
  }

  /// - Throws: ``PurchaseServerError``, also where somebody else signs in meanwhile.
  func customer(of bearer: ServerBearer) async throws -> UUID {
    if let customer = bearer.customer { return customer }
    _ = try await askWho(bearer)
    guard let customer = known.customer(of: bearer.subject) else {
      throw PurchaseServerError.customerChanged
    }
    return customer
  }

  private func askWho(_ bearer: ServerBearer) async throws -> UUID {
    struct Answer: Decodable { let customer: UUID }
    let (reply, answering) = try await answer(to: HTTPCall("GET", doors.app.appending(path: "customer")), by: bearer)
    let customer = try ServerEndpoints.decoded(Answer.self, from: reply).customer
    try await becomes(customer, answering)
    return customer
  }

  /// The server named whose the goods are.
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
    _ device: DeviceIdentifier?, _ doors: ServerEndpoints, _ transport: any HTTPSender
  ) async throws -> StoredInstallation {
    struct Answer: Decodable {
      let customer: UUID
      let token: String
    }
    let call = try doors.post(["device": device?.description].compactMapValues { $0 }, to: "installations")
    let answer = try ServerEndpoints.decoded(
      Answer.self, from: try await ServerEndpoints.answer(to: call, by: transport))
    return StoredInstallation(server: doors.app.absoluteString, customer: answer.customer, token: answer.token)
  }

  // MARK: Asking

  var doors: ServerEndpoints { ServerEndpoints(address, bundleID) }

  /// Asks as the customer. A token that is refused is replaced once.
  ///
  /// - Returns: with the answer, as whom it was asked.
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

  /// Whether another token may help.
  private func isRefused(_ bearer: ServerBearer, by reply: HTTPReply) -> Bool {
    guard reply.status == 401 else { return false }
    // A new registration is another customer: what stands in between, such as a gateway, is no reason for it.
    guard case .installation = source else { return true }
    return ["tokenRefused", "signInAgain"].contains(ServerRefusal(reply.head, reply.body).code)
  }

  /// Asks as one customer and nobody else, whoever signs in meanwhile.
  ///
  /// - Returns: with the answer, as whom it was asked.
  /// - Throws: ``OtherCustomer``: nothing was asked.
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

  /// What was to be asked is another customer's business.
  struct OtherCustomer: Error {}

  private func isOf(_ customer: UUID, _ bearer: ServerBearer) async throws -> Bool {
    if let known = bearer.customer {
      if known == successor(of: customer) { return true }
      // Whom an identity names, stays.
      guard case .installation = source else { return false }
    }
    return try await askWho(bearer) == successor(of: customer)
  }

  func read<Answer: Decodable>(_ type: Answer.Type, _ call: HTTPCall) async throws -> Answer {
    try ServerEndpoints.decoded(type, from: try await answer(to: call).0)
  }

  /// Asks what anybody may.
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
