import StoreModel

/// The members that all payloads of the App Store may have.
struct PayloadMetadata {
  /// `signedDate`, or `receiptCreationDate` if that is missing.
  let date: StoreDate?
  /// `environment`, or `receiptType` if that is missing; nil if the value is unknown.
  let environment: StoreEnvironment?

  /// Reads the members. Throws unless the whole payload is a JSON object.
  static func read(_ payload: [UInt8]) throws(VerificationFailure) -> PayloadMetadata {
    do throws(JSONFault) {
      return try payload.withBuffer { (bytes) throws(JSONFault) in
        try JSONReader.read(bytes) { (reader) throws(JSONFault) in
          var (signed, created): (StoreDate?, StoreDate?) = (nil, nil)
          var (environment, receiptType): (String?, String?) = (nil, nil)
          try reader.members { (reader, key) throws(JSONFault) in
            if reader.isNull() { return }
            if key == "signedDate" {
              signed = try reader.date()
            } else if key == "receiptCreationDate" {
              created = try reader.date()
            } else if key == "environment" {
              environment = try reader.string()
            } else if key == "receiptType" {
              receiptType = try reader.string()
            } else {
              try reader.skipValue()
            }
          }
          return PayloadMetadata(
            date: signed ?? created,
            environment: (environment ?? receiptType).flatMap(StoreEnvironment.init(rawValue:)))
        }
      }
    } catch {
      throw .structure("the payload of the JWS cannot be read: \(error)")
    }
  }
}
