import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PurchaseLedger
import StoreModel
import WebSupport

/// Sends exports of customers, no faster than the client reads. A customer has one export at a time.
final class CustomerExports: Sendable {
  private let ledger: Ledger
  private let rates: RateLimiter
  private let tokens: RecognisedTokens
  private let limits: DownloadLimits
  private let clock: any MachineClock
  private let running = LockedValue<Set<CustomerID>>([])

  /// The seconds after which a client is told to ask again if the customer's export is running.
  private static let retrySeconds = 5

  init(
    ledger: Ledger, rates: RateLimiter, tokens: RecognisedTokens, limits: DownloadLimits, clock: any MachineClock
  ) {
    self.ledger = ledger
    self.rates = rates
    self.tokens = tokens
    self.limits = limits
    self.clock = clock
  }

  /// Returns the response with a customer's export. Every 64 KiB of it count as a request of the caller.
  ///
  /// - Throws: ``ErrorResponse`` with status 429 if an export of the customer is running; errors of the ledger.
  func response(
    for customer: CustomerID, to request: Request, _ context: ServiceContext
  ) async throws -> Response {
    let reader = try await ledger.export(customer)
    guard let permit = Permit(for: reader.customer, in: self) else {
      throw ErrorResponse(
        .tooManyRequests, "tooManyRequests",
        "An export of this customer is running. Wait until it has ended.",
        headers: [.retryAfter: String(Self.retrySeconds)])
    }
    return stream([.contentType: "application/json; charset=utf-8"], to: request, context) { send in
      defer { permit.end() }
      try await reader.write(to: send)
    }
  }

  /// Returns a response whose body is sent in pieces, no faster than the client reads. Every 64 KiB of it count as a request of the
  /// caller.
  ///
  /// - Parameter write: receives the function that sends a piece, and returns when the piece was taken.
  func stream(
    _ headers: HTTPFields, to request: Request, _ context: ServiceContext,
    _ write: @escaping @Sendable (_ send: (Data) async throws -> Void) async throws -> Void
  ) -> Response {
    let caller = request.bearerToken.flatMap(tokens.caller)
    let watch = DownloadWatch(channel: context.channel, limits: limits, clock: clock, logger: context.logger)
    var headers = headers
    headers[.cacheControl] = "no-store"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { [rates] writer in
        do {
          try await watch.watching { progress in
            try await write { piece in
              try await writer.write(ByteBuffer(bytes: piece))
              try await watch.channel.untilTaken()
              progress.add(Int64(piece.count))
              if let caller { rates.charge(caller, cost: Self.cost(of: piece)) }
            }
          }
          try await writer.finish(nil)
        } catch {
          watch.logger.info("An export ended early", metadata: ["reason": "\(error)"])
          throw error
        }
      })
  }

  /// Returns the number of requests that a piece counts as.
  private static func cost(of piece: Data) -> Double { (Double(piece.count) / 65_536).rounded(.up) }

  /// The right to send the export of a customer. It ends when the body was sent, or when the response is released without
  /// being sent, such as that to HEAD.
  private final class Permit: Sendable {
    private let customer: CustomerID
    private let exports: CustomerExports

    /// Returns nil if an export of the customer is running.
    init?(for customer: CustomerID, in exports: CustomerExports) {
      self.customer = customer
      self.exports = exports
      isHeld = LockedValue(exports.running.withLock { $0.insert(customer).inserted })
      if !isHeld.value { return nil }
    }

    private let isHeld: LockedValue<Bool>

    func end() {
      let wasHeld = isHeld.withLock { isHeld in
        defer { isHeld = false }
        return isHeld
      }
      if wasHeld { exports.running.withLock { _ = $0.remove(customer) } }
    }

    deinit { end() }
  }
}
