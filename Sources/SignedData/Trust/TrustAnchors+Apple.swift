extension TrustAnchors {
  /// Apple's trust anchors: the fingerprints of "Apple Root CA" (receipts), of "Apple Root CA - G3" (JWS), and of the
  /// leaf of legacy receipts of version 3.
  ///
  /// Legacy receipts of version 2, and those of version 3 with another leaf, also need the certificate of their issuer.
  /// Add it to ``legacyIntermediates``.
  public static let apple = TrustAnchors(
    fingerprints: [appleRootCA, appleRootCAG3], legacyLeafFingerprints: [appleLegacyReceiptLeaf])

  /// The fingerprint of "Apple Root CA", the root of app receipts, valid from 2006 to 2035.
  public static let appleRootCA = fingerprint(
    0xB0B1_730E_CBC7_FF45, 0x0514_2C49_F129_5E6E, 0xDA6B_CAED_7E2C_68C5, 0xBE91_B5A1_1001_F024)

  /// The fingerprint of "Apple Root CA - G3", the root of JWS, valid from 2014 to 2039.
  public static let appleRootCAG3 = fingerprint(
    0x6334_3ABF_B89A_6A03, 0xEBB5_7E9B_3F5F_A7BE, 0x7C4F_5C75_6F30_17B3, 0xA8C4_88C3_653E_9179)

  private static let appleLegacyReceiptLeaf = fingerprint(
    0xFCFD_FCE9_AC64_E0FC, 0x3568_CCFF_5D0C_700C, 0x7BE3_ED41_03DF_D8B5, 0x0F08_4083_58FE_937C)

  private static func fingerprint(_ words: UInt64...) -> SHA256Fingerprint {
    SHA256Fingerprint(digest: words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } })
  }
}
