import AppStoreServerAPI
import Foundation
import StoreModel

extension ServerAPIRequestEndpoint: BackendCall where Call: ServerAPIRule {
  /// Checks the token, then the rate, then the path, query and body, and last what depends on the state.
  func answer(in store: StoreServices, _ context: OperationContext) async throws -> Answer {
    let client = try await store.authenticatedClient(of: request, context)
    context.learnApp(client.app.bundleID)
    if client.hasRateLimits {
      try store.rateLimits.admit(
        Call.endpoint, client.app.bundleID, request.environment, at: store.clock.machine.now)
    }
    let call = try Call(values)
    do {
      let answer = try await store.database.write { [environment = request.environment] work in
        try call.answer(for: BackendScope(work: work, app: client.app, environment: environment))
      }
      return try await answer(store.signer)
    } catch let refusal as StoreRefusal {
      throw ServerAPIRefusal(.generalInternalRetryable, refusal.message)
    }
  }
}

extension NotEmulatedEndpoint: BackendCall {
  func answer(in store: StoreServices, _ context: OperationContext) -> NotEmulated { NotEmulated() }
}

extension StoreServices {
  /// The app whose backend has sent a request, and whether its requests are counted.
  ///
  /// - Throws: ``UnauthenticatedRequest``.
  fileprivate func authenticatedClient(
    of request: BackendRequest, _ context: OperationContext
  ) async throws -> (app: StoreApp, hasRateLimits: Bool) {
    let claims = ServerAPITokenCheck.unverifiedClaims(authorization: request.authorization)
    let (check, app, hasRateLimits) = try await database.read { work in
      (
        try work.apiKeys.tokenCheck(for: claims), try claims?.bundleID.flatMap(work.catalog.find),
        work.settings.rateLimits
      )
    }
    do throws(TokenRefusal) {
      // Tokens have dates of the client's machine, so they are not compared with the store's clock.
      _ = try check.check(
        authorization: request.authorization,
        at: clock.machine.now.adding(milliseconds: context.conditions.clockAheadMilliseconds))
    } catch {
      throw UnauthenticatedRequest(error.description)
    }
    guard let app else { throw UnauthenticatedRequest("the token names no app of this store") }
    return (app, hasRateLimits)
  }
}

/// Counts the requests of backends, and refuses those above Apple's documented limits ("Identifying rate limits").
///
/// The limits are given by second and enforced by hour, so an hour has 3,600 times as many. Hours are those of the machine's clock. In
/// the sandbox, the limits are a tenth.
final class ServerAPIRateLimits: Sendable {
  private struct Key: Hashable {
    let endpoint: String
    let bundleID: BundleID
    let environment: StoreEnvironment
  }

  private struct Counts {
    var hour: Int64 = 0
    var counts: [Key: Int] = [:]
  }

  private static let hour: Int64 = 3_600_000
  private let counts = LockedValue(Counts())

  /// - Throws: ``RateLimitExceeded``.
  func admit(
    _ endpoint: ServerAPIEndpoint, _ bundleID: BundleID, _ environment: StoreEnvironment, at now: StoreDate
  ) throws(RateLimitExceeded) {
    guard let perSecond = endpoint.requestsPerSecond else { return }
    let limit = perSecond * (environment == .production ? 3_600 : 360)
    let hour = now.millisecondsSince1970 / Self.hour
    let key = Key(endpoint: endpoint.name, bundleID: bundleID, environment: environment)
    let isAdmitted = counts.withLock { state in
      if state.hour != hour { state = Counts(hour: hour) }
      guard state.counts[key, default: 0] < limit else { return false }
      state.counts[key, default: 0] += 1
      return true
    }
    guard !isAdmitted else { return }
    throw RateLimitExceeded(
      nextDate: StoreDate(millisecondsSince1970: (hour + 1) * Self.hour),
      reasonForDeveloper:
        "\(bundleID) has sent \(limit) requests of \(endpoint.name) in \(environment.lowercaseName) within this hour")
  }
}
