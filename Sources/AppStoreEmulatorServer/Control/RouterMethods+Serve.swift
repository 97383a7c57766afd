import APIDescription
import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import SignedData
import StoreModel
import WebSupport

extension RouterMethods {
  /// Adds an endpoint of the control API. If the store refuses a request, the answer is an error response with a
  /// matching status.
  ///
  /// - Parameter bodyLimit: the maximum size of a request's body, in bytes.
  func serve<Path, Query, Body, Answer>(
    _ endpoint: Endpoint<Path, Query, Body, Answer>, bodyLimit: Int = BodyLimit.form,
    answer: @escaping @Sendable (EndpointInput<Path, Query, Body>) async throws -> Answer
  ) {
    add(endpoint, bodyLimit: bodyLimit) { input in
      try await endpoint.response { try await answer(input) }
    }
  }
}

extension Endpoint {
  /// Returns an answer as JSON with the endpoint's status.
  ///
  /// - Throws: ``ErrorResponse`` if the store refuses the request.
  func response(_ answer: () async throws -> Answer) async throws -> Response {
    do {
      return try response(with: try await answer())
    } catch let error as AppStoreEmulatorError {
      throw error.errorResponse
    } catch let error as StoreKitConfigurationError {
      throw ErrorResponse(.unprocessableContent, "invalidConfiguration", error.description)
    } catch let error as IssuingError {
      guard case .noInvalidCertificate = error else { throw error }
      throw ErrorResponse(.unprocessableContent, "dateOutsideCertificates", error.description)
    } catch let refusal as StoreRefusal {
      throw ErrorResponse(refusal.statusAtControl, refusal)
    }
  }
}

extension StoreRefusal {
  fileprivate var statusAtControl: HTTPResponse.Status {
    switch code {
    case .unknownInstallation: .notFound
    case .temporarilyUnavailable: .serviceUnavailable
    case .paymentConflict: .conflict
    default: .unprocessableContent
    }
  }
}

extension AppStoreEmulatorError {
  fileprivate var errorResponse: ErrorResponse {
    let (status, code): (HTTPResponse.Status, String) =
      switch self {
      case .unknownApp: (.notFound, "unknownApp")
      case .unknownCustomer: (.notFound, "unknownCustomer")
      case .unknownInstallation: (.notFound, "unknownInstallation")
      case .noSuchApproval: (.notFound, "noSuchApproval")
      case .unknownProduct: (.notFound, "unknownProduct")
      case .customerExists: (.conflict, "customerExists")
      case .familyFull: (.conflict, "familyFull")
      case .customerHasPurchases: (.conflict, "customerHasPurchases")
      case .clockNeverGoesBack: (.conflict, "clockNeverGoesBack")
      case .dateOutsideCertificates: (.unprocessableContent, "dateOutsideCertificates")
      case .nothingDue: (.conflict, "nothingDue")
      case .clockRateOutOfRange: (.unprocessableContent, "clockRateOutOfRange")
      case .priceOutOfRange: (.unprocessableContent, "priceOutOfRange")
      case .unusableSnapshot: (.unprocessableContent, "unusableSnapshot")
      case .unknownStorefront: (.unprocessableContent, "unknownStorefront")
      case .invalidLocale: (.unprocessableContent, "invalidLocale")
      case .environmentNotServed: (.unprocessableContent, "environmentNotServed")
      case .emptyName: (.unprocessableContent, "emptyName")
      case .duplicateProduct: (.unprocessableContent, "duplicateProduct")
      case .unknownFault: (.notFound, "unknownFault")
      case .faultExists: (.conflict, "faultExists")
      case .impossibleFault: (.unprocessableContent, "impossibleFault")
      case .tooManyFaults: (.conflict, "tooManyFaults")
      case .unknownTransaction: (.notFound, "unknownTransaction")
      case .unknownRequest: (.notFound, "unknownRequest")
      case .unknownPage: (.unprocessableContent, "unknownPage")
      case .unknownSubscription: (.notFound, "unknownSubscription")
      case .subscriptionNotChangeable: (.conflict, "subscriptionNotChangeable")
      case .notRefundable: (.conflict, "notRefundable")
      case .refundOutOfRange: (.unprocessableContent, "refundOutOfRange")
      case .unknownRefundRequest: (.notFound, "unknownRefundRequest")
      case .refundRequestImpossible: (.conflict, "refundRequestImpossible")
      case .unknownKey: (.notFound, "unknownKey")
      case .keyNotRemovable: (.conflict, "keyNotRemovable")
      case .tooManyKeys: (.conflict, "tooManyKeys")
      case .gracePeriodOutOfRange: (.unprocessableContent, "gracePeriodOutOfRange")
      case .invalidNotificationURL: (.unprocessableContent, "invalidNotificationURL")
      case .unknownNotification: (.notFound, "unknownNotification")
      case .noNotificationURL: (.conflict, "noNotificationURL")
      case .impossibleNotification: (.unprocessableContent, "impossibleNotification")
      case .notificationsNotSettled: (.conflict, "notificationsNotSettled")
      case .storeNotCreated, .noTimeZoneData, .otherSeed, .epochExhausted:
        (.internalServerError, "temporarilyUnavailable")
      }
    return ErrorResponse(status, code, description)
  }
}
