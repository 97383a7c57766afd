import AppStoreServerAPI
import PurchaseLedger
import StoreModel

/// A call of the App Store Server API that shows whether the store accepts an app's key. It changes nothing: it asks about a
/// transaction that does not exist.
public struct ServerAPITrial: Sendable, CustomStringConvertible {
  public enum Outcome: Hashable, Sendable {
    case accepted
    /// The store does not accept the token (HTTP status 401).
    case refused(detail: String)
    /// The store did not answer, or with another error.
    case failed(detail: String)
  }

  public let app: BundleID
  public let environment: StoreEnvironment
  public let keyID: String
  public let outcome: Outcome

  /// The id of no transaction: ids of the App Store have more digits.
  private static let unknownID = TransactionID(1)

  /// Tries the key of each app that has one, in each environment that the app accepts.
  ///
  /// - Throws: ``ServerStartError`` if an emulator does not return its settings, or if a file cannot be read.
  public static func all(of configuration: ServerConfiguration) async throws -> [ServerAPITrial] {
    let apps = configuration.apps.filter { $0.serverAPI != nil || $0.verification == .serverAPI }
    guard !apps.isEmpty else { return [] }
    let trust = try await StoreTrust(configuration)
    let server = HTTPReceiptServer()
    var trials: [ServerAPITrial] = []
    for app in apps {
      guard var policy = trust.serverAPIs[app.bundleID] else { continue }
      policy.retries = 0
      let client = policy.client(
        for: app.bundleID, accepting: app.environments, anchors: trust.anchors,
        transport: server.transport(timeoutSeconds: trust.answerTimeoutSeconds))
      for environment in [StoreEnvironment.production, .sandbox] where app.environments.contains(environment) {
        trials.append(
          ServerAPITrial(
            app: app.bundleID, environment: environment, keyID: policy.key.keyID,
            outcome: await outcome(of: client, in: environment)))
      }
    }
    try await server.close()
    return trials
  }

  private static func outcome(of client: AppStoreServerAPIClient, in environment: StoreEnvironment) async -> Outcome {
    do {
      _ = try await client.transaction(unknownID, in: environment)
      return .accepted
    } catch let error as ServerAPIClientError {
      switch error {
      case .refused(let error) where error.code == .transactionIdNotFound || error.code == .invalidTransactionId:
        return .accepted
      case .unauthorized(let detail): return .refused(detail: detail)
      default: return .failed(detail: error.description)
      }
    } catch {
      return .failed(detail: "\(error)")
    }
  }

  public var description: String {
    let place = "\(app): the key \(keyID) in \(environment.lowercaseName)"
    return switch outcome {
    case .accepted: "\(place) is accepted by the App Store Server API."
    case .refused(let detail):
      "\(place) is not accepted by the App Store Server API (HTTP 401). Check keyId, issuerId, bundleId, the file of the private "
        + "key and this machine's clock\(environment == .production ? "; an app that was never released is refused, too" : ""). "
        + "It answers: \(detail)"
    case .failed(let detail): "\(place) could not be tried. \(detail)"
    }
  }
}
