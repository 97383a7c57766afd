extension TrustAnchors {
  /// Apple's own: "Apple Root CA" (receipts) and "Apple Root CA - G3" (JWS), by fingerprint, and the leaf of version 3
  /// legacy receipts, by fingerprint.
  ///
  /// Version 2 legacy receipts, and version 3 ones by another leaf, need their issuer's certificate as well: add it
  /// as one of ``legacyIntermediates``.
  public static let apple = TrustAnchors(
    fingerprints: [appleRootCA, appleRootCAG3], legacyLeafFingerprints: [appleLegacyReceiptLeaf])

  /// "Apple Root CA", valid from 2006 to 2035: the root of app receipts.
  public static let appleRootCA = fingerprint(
    0xB0B1_730E_CBC7_FF45, 0x0514_2C49_F129_5E6E, 0xDA6B_CAED_7E2C_68C5, 0xBE91_B5A1_1001_F024)

  /// "Apple Root CA - G3", valid from 2014 to 2039: the root of JWS.
  public static let appleRootCAG3 = fingerprint(
    0x6334_3ABF_B89A_6A03, 0xEBB5_7E9B_3F5F_A7BE, 0x7C4F_5C75_6F30_17B3, 0xA8C4_88C3_653E_9179)

  private static let appleLegacyReceiptLeaf = fingerprint(
    0xFCFD_FCE9_AC64_E0FC, 0x3568_CCFF_5D0C_700C, 0x7BE3_ED41_03DF_D8B5, 0x0F08_4083_58FE_937C)

  private static func fingerprint(_ words: UInt64...) -> SHA256Fingerprint {
    SHA256Fingerprint(digest: words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } })
  }
}
