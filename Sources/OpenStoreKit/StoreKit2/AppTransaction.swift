import Foundation
import SignedData
import StoreModel

/// The customer's purchase or download of the app itself, as the App Store signed it. Implements Apple's
/// `AppTransaction`.
///
/// Two app transactions are equal if their signed payloads are.
public struct AppTransaction: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
  let content: SignedContent<SignedAppTransaction>

  private var payload: SignedAppTransaction { content.payload }

  /// The app transaction of this version of the app: the stored one, or one that the store signs now.
  ///
  /// - Throws: ``StoreKitError`` if there is none, and the store cannot be reached, or no customer is signed in.
  public static var shared: VerificationResult<AppTransaction> {
    get async throws { try await shared(on: nil) }
  }

  static func shared(on device: StoreKitDevice?) async throws -> VerificationResult<AppTransaction> {
    try await request(isForced: false, on: device)
  }

  /// Asks the customer to sign in, and requests a new app transaction. Call it only when the customer asks for it.
  ///
  /// - Throws: ``StoreKitError/userCancelled`` if the customer does not sign in; ``StoreKitError``.
  public static func refresh() async throws -> VerificationResult<AppTransaction> { try await refresh(on: nil) }

  static func refresh(on device: StoreKitDevice?) async throws -> VerificationResult<AppTransaction> {
    try await request(isForced: true, on: device)
  }

  private static func request(
    isForced: Bool, on device: StoreKitDevice?
  ) async throws -> VerificationResult<AppTransaction> {
    let device = try device ?? .orSystemError()
    do {
      try device.simulatedErrors.check(.appTransaction)
      let received = try await device.engine.appTransaction(isForced: isForced)
      let content = try SignedContent(jws: received.jws, failure: received.failure) {
        try SignedAppTransaction(payload: $0)
      }
      return VerificationResult(AppTransaction(content: content))
    } catch {
      throw StoreKitError.general(error)
    }
  }

  /// The App Store's number of the app. Production only.
  public var appID: UInt64? { number(payload.appAppleID) }
  /// The version of the app that it was signed for.
  public var appVersion: String { payload.applicationVersion ?? "" }
  /// The App Store's number of that version. Production only.
  public var appVersionID: UInt64? { number(payload.versionExternalIdentifier) }
  public var bundleID: String { payload.bundleID.rawValue }
  public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.rawEnvironment ?? "") }
  /// The version that the customer first had; `1.0` in the sandbox.
  public var originalAppVersion: String { payload.originalApplicationVersion ?? "" }
  /// The date of the first purchase or download.
  public var originalPurchaseDate: Date { (payload.originalPurchaseDate ?? payload.receiptCreationDate).date }
  /// The same id for all transactions of one customer and app, on all devices.
  public var appTransactionID: String { payload.appTransactionID ?? "" }
  /// The platform of the first purchase or download.
  public var originalPlatform: AppStore.Platform { AppStore.Platform(rawValue: originalPlatformStringRepresentation) }
  /// The older form of ``originalPlatform``.
  public var originalPlatformStringRepresentation: String {
    payload.rawOriginalPlatform ?? AppStore.Platform.iOS.rawValue
  }
  /// The date of the pre-order; nil if there was none.
  public var preorderDate: Date? { payload.preorderDate?.date }
  /// The SHA-384 digest of ``deviceVerificationNonce`` and ``AppStore/deviceVerificationID``; empty if it is missing.
  public var deviceVerification: Data { Data(payload.deviceVerification ?? []) }
  public var deviceVerificationNonce: UUID { payload.deviceVerificationNonce ?? .zero }
  public var signedDate: Date { payload.receiptCreationDate.date }
  /// The signed payload.
  public var jsonRepresentation: Data { Data(content.payloadBytes) }
  public var debugDescription: String { content.text }

  private func number(_ number: Int64?) -> UInt64? {
    payload.environment == .production ? number.flatMap(UInt64.init(exactly:)) : nil
  }
}

extension AppTransaction: SignedValue {
  var parts: SignedParts { SignedParts(content) }
  var failure: VerificationFailure? { content.failure }
}
