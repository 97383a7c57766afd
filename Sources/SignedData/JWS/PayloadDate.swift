import StoreModel

/// When a payload says it was signed.
enum PayloadDate {
  /// `signedDate`, or `receiptCreationDate` where there is none; nil without either. The whole payload is checked to
  /// be a JSON object.
  static func read(_ payload: [UInt8]) throws(VerificationFailure) -> StoreDate? {
    do throws(JSONFault) {
      return try payload.withBuffer { (bytes) throws(JSONFault) in
        try JSONReader.read(bytes) { (reader) throws(JSONFault) in
          var (signed, created): (StoreDate?, StoreDate?) = (nil, nil)
          try reader.members { (reader, key) throws(JSONFault) in
            if reader.isNull() { return }
            if key == "signedDate" {
              signed = try reader.date()
            } else if key == "receiptCreationDate" {
              created = try reader.date()
            } else {
              try reader.skipValue()
            }
          }
          return signed ?? created
        }
      }
    } catch {
      throw .structure("the payload of the JWS cannot be read: \(error)")
    }
  }
}
