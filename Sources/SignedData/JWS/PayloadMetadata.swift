import StoreModel

/// What any payload of the App Store may say of itself.
struct PayloadMetadata {
  /// `signedDate`, or `receiptCreationDate` where there is none.
  let date: StoreDate?
  /// `environment`, or `receiptType` where there is none; nil also for one that is not known.
  let environment: StoreEnvironment?

  /// The whole payload is checked to be a JSON object.
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
