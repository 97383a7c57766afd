import Foundation

extension ControlDoor {
  struct Connection: Decodable, Sendable {
    let rootCertificate: Data
    let receiptRootCertificate: Data
    let sharedSecret: String
  }

  struct Transaction: Decodable, Hashable, Sendable {
    let transactionId: String
    let productId: String
    let quantity: Int
    /// In thousandths of the currency.
    let price: Int64
    let finishedDate: Int64?
  }

  struct Charge: Decodable, Hashable, Sendable {
    let transactionId: String
    /// In thousandths of the currency.
    let amount: Int64
    let currency: String
  }

  struct Verification: Decodable, Sendable {
    struct Receipt: Decodable, Sendable {
      let inApp: [[String: String]]

      private enum CodingKeys: String, CodingKey { case inApp = "in_app" }
    }

    let status: Int
    let environment: String?
    let receipt: Receipt?
  }

  struct JournaledRequest: Decodable, Sendable {
    let call: String
    let paymentId: String?
  }
}
