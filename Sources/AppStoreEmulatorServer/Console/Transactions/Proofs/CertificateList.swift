import SignedData
import WebSupport

/// Shows a certificate chain, the signer's certificate first: the names, and the collapsed details.
struct CertificateList {
  /// An id that is unique on the page.
  let id: String
  let certificates: [[UInt8]]

  var html: HTML {
    let summaries = certificates.map { CertificateSummary($0) }
    let names = summaries.map { $0?.name ?? "a certificate that cannot be read" }.joined(separator: " ← ")
    return """
      <p class="small chain-names">Signed by \(HTML.name(names))</p>
      <details id="\(id)"><summary>Certificates (\(certificates.count))</summary><ol class="chain">\(summaries.map(item))</ol></details>
      """
  }

  private func item(_ summary: CertificateSummary?) -> HTML {
    guard let summary else { return "<li>A certificate that cannot be read.</li>" }
    return """
      <li>\(HTML.name(summary.subject))\(" <span class=\"badge\">root</span>", if: summary.isSelfIssued)\
      <span class="sub muted small">issued by \(HTML.name(summary.issuer))</span>\
      <span class="sub muted small">\(summary.notBefore) to \(summary.notAfter)</span>\
      <span class="sub muted small mono">SHA-256 \(summary.fingerprint.description)</span></li>
      """
  }
}
