import Crypto
import Foundation
import SignedData

/// A value that the App Store signed, and whether this device has verified its signature. Implements Apple's
/// `VerificationResult`.
///
/// An unverified value is shown here and never stored, so that no list and no entitlement has it.
@frozen public enum VerificationResult<SignedType> {
  case unverified(SignedType, VerificationError)
  case verified(SignedType)

  /// The value.
  ///
  /// - Throws: the ``VerificationError`` if it is unverified.
  public var payloadValue: SignedType {
    get throws {
      switch self {
      case .verified(let value): return value
      case .unverified(_, let error): throw error
      }
    }
  }

  /// The value, also if it is unverified.
  public var unsafePayloadValue: SignedType {
    switch self {
    case .verified(let value), .unverified(let value, _): value
    }
  }

  /// Why a value is unverified. Implements Apple's `VerificationResult.VerificationError`.
  public enum VerificationError: Equatable, Hashable, LocalizedError {
    /// A certificate was revoked. It does not occur: the device does not request the status of certificates.
    case revokedCertificate
    /// The certificates do not end at a root of the store, do not sign this kind of data, or were not valid at the date
    /// of signing.
    case invalidCertificateChain
    /// The value was signed for another device, or for none.
    case invalidDeviceVerification
    /// The header or the signature cannot be read.
    case invalidEncoding
    /// The signature does not match the content.
    case invalidSignature
    /// The value is of another app or environment.
    case missingRequiredProperties

    public var errorDescription: String? {
      switch self {
      case .revokedCertificate: "A certificate of the signature was revoked."
      case .invalidCertificateChain: "The certificates of the signature are not trusted."
      case .invalidDeviceVerification: "The data was signed for another device."
      case .invalidEncoding: "The signed data cannot be read."
      case .invalidSignature: "The signature does not match the data."
      case .missingRequiredProperties: "The signed data lacks properties of this app."
      }
    }

    public var failureReason: String? { "The App Store's signature could not be verified." }

    public var recoverySuggestion: String? {
      self == .revokedCertificate ? "Try again later." : "Do not give the customer what was bought."
    }
  }
}

extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}
extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult: CustomDebugStringConvertible where SignedType: CustomDebugStringConvertible {
  public var debugDescription: String {
    switch self {
    case .verified(let value): "verified \(value.debugDescription)"
    case .unverified(let value, let error): "unverified (\(error)) \(value.debugDescription)"
    }
  }
}

extension VerificationResult.VerificationError {
  /// Documentation/storekit2.md has the table, under "Verification".
  init(_ failure: VerificationFailure) {
    self =
      switch failure.fault {
      case .structure: .invalidEncoding
      case .chain, .marker, .date: .invalidCertificateChain
      case .signature: .invalidSignature
      case .bundle, .environment: .missingRequiredProperties
      case .device: .invalidDeviceVerification
      }
  }
}

extension VerificationResult where SignedType: SignedValue {
  /// The result for a value that the device has verified, or could not verify.
  init(_ value: SignedType) {
    self = value.failure.map { .unverified(value, VerificationError($0)) } ?? .verified(value)
  }

  var parts: SignedParts { unsafePayloadValue.parts }
}

extension VerificationResult where SignedType == Transaction {
  /// The compact JWS, for a server.
  public var jwsRepresentation: String { unsafePayloadValue.content.jws }
  /// The decoded header of the JWS.
  public var headerData: Data { parts.header }
  /// The decoded payload of the JWS, as ``Transaction/jsonRepresentation``.
  public var payloadData: Data { parts.payload }
  /// The decoded signature of the JWS: 64 bytes, R and S.
  public var signatureData: Data { parts.signatureData }
  public var signature: P256.Signing.ECDSASignature { parts.signature }
  /// The signed bytes: header, period and payload, as in the JWS.
  public var signedData: Data { parts.signedData }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
  /// The compact JWS, for a server.
  public var jwsRepresentation: String { unsafePayloadValue.content.jws }
  /// The decoded header of the JWS.
  public var headerData: Data { parts.header }
  /// The decoded payload of the JWS, as ``Product/SubscriptionInfo/RenewalInfo/jsonRepresentation``.
  public var payloadData: Data { parts.payload }
  /// The decoded signature of the JWS: 64 bytes, R and S.
  public var signatureData: Data { parts.signatureData }
  public var signature: P256.Signing.ECDSASignature { parts.signature }
  /// The signed bytes: header, period and payload, as in the JWS.
  public var signedData: Data { parts.signedData }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == AppTransaction {
  /// The compact JWS, for a server.
  public var jwsRepresentation: String { unsafePayloadValue.content.jws }
  /// The decoded header of the JWS.
  public var headerData: Data { parts.header }
  /// The decoded payload of the JWS, as ``AppTransaction/jsonRepresentation``.
  public var payloadData: Data { parts.payload }
  /// The decoded signature of the JWS: 64 bytes, R and S.
  public var signatureData: Data { parts.signatureData }
  public var signature: P256.Signing.ECDSASignature { parts.signature }
  /// The signed bytes: header, period and payload, as in the JWS.
  public var signedData: Data { parts.signedData }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}
