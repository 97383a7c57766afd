import APIDescription
import PurchaseLedger

extension CustomerExport: APIObject {
  package static let notes: [String: MemberNote] = [
    "subject": "Issuer and subject of the identity system, with a space between.",
    "formerIds": "The ids of customers who were joined to this one.",
  ]
}

extension CustomerExport.Installation: APIObject {
  package static let schemaName = "ExportedInstallation"
  package static let notes: [String: MemberNote] = ["storeDate": "The date of the registration by the store's clock."]
}

extension CustomerExport.Purchase: APIObject {
  package static let schemaName = "ExportedPurchase"
  package static let notes: [String: MemberNote] = [
    "byDevice": "Whether the proof was issued for the device that showed it.",
    "receipt": "The digest of its receipt, if the receipt is stored.",
  ]
}

extension PurchasePrice: APIObject {
  package static let schemaDescription: String? = "What a customer has paid, as the store has signed it."
  package static let notes: [String: MemberNote] = [
    "milliunits": "Thousandths of the currency's unit, for the whole quantity.", "currency": "An ISO 4217 code.",
  ]
}

extension PurchasePeriodType: APIValue {
  package static var componentName: String? { "PurchasePeriodType" }
}

extension CustomerExport.Credits: APIObject {
  package static let schemaName = "ExportedCredits"
  package static let notes: [String: MemberNote] = [
    "taken": "Removed by a refund.", "shortfall": "Refunded, but already spent: written off.",
  ]
}

extension CustomerExport.Refund: APIObject {
  package static let schemaName = "ExportedRefund"
  package static let notes: [String: MemberNote] = ["percentage": "In thousandths of a percent."]
}

extension CustomerExport.Renewal: APIObject {
  package static let schemaName = "ExportedRenewal"
}

extension CustomerExport.Period: APIObject {
  package static let schemaName = "ExportedPeriod"
}

extension CustomerExport.Transfer: APIObject {
  package static let schemaName = "ExportedTransfer"
  package static let notes: [String: MemberNote] = ["id": "The id of this customer at that time."]
}

extension CustomerExport.Transfer.Direction: APIValue {
  package static var componentName: String? { "TransferDirection" }
}

extension CustomerExport.OwnedProduct: APIObject {
  package static let schemaName = "ExportedProduct"
}

extension CustomerExport.Delivery: APIObject {
  package static let schemaName = "ExportedDelivery"
}

extension CustomerExport.Account: APIObject {
  package static let schemaName = "ExportedAccount"
  package static let notes: [String: MemberNote] = [
    "movements": "The number of movements.", "blocked": "The date since which spending is blocked.",
  ]
}

extension CustomerExport.Movement: APIObject {
  package static let schemaName = "ExportedMovement"
}

extension CustomerExport.Receipt: APIObject {
  package static let schemaName = "ExportedReceipt"
  package static let notes: [String: MemberNote] = [
    "due": "The date at which the store is asked about it again.",
    "data": "The stored proof in base64: a receipt, or the text of a transaction id.",
  ]
}

extension CustomerExport.Consent: APIObject {
  package static let schemaName = "ExportedConsent"
}

extension CustomerExport.RequestedConsumption: APIObject {
  package static let schemaName = "ExportedConsumptionRequest"
  package static let notes: [String: MemberNote] = [
    "uuid": "The notificationUUID.", "requested": "By the store's clock.", "deadline": "By the store's clock.",
    "values": "In the state answered, what was sent; otherwise what an operator has chosen.",
    "consented": "The date of the consent with which it was sent.",
  ]
}

extension CustomerExport.OperatorAction: APIObject {
  package static let schemaName = "ExportedOperatorAction"
  package static let notes: [String: MemberNote] = ["customer": "The id of this customer at that time."]
}
