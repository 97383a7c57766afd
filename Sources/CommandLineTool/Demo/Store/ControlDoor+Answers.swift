import Foundation

// What only the demo asks for.
extension ControlDoor {
  struct Connection: Decodable, Sendable {
    let rootCertificate: Data
    let receiptRootCertificate: Data
    let sharedSecret: String
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
}
