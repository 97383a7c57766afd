import Foundation
import WebSupport

/// The page that leads to the operator's pages of the demo's purchase server. It shows an operator's key, so only a demo has such
/// a page: it listens on this machine only, other sites cannot read it, and the key ends with the demo.
struct OperatorsView {
  /// The purchase server, and a key of an operator.
  struct Access: Sendable {
    let server: URL
    let key: String
  }

  /// Nil until the server has started.
  let access: Access?

  var page: HTML {
    PageFrame(title: "Pages for operators", program: PageLink("OpenStoreKit", "/"), stylesheets: [.demo]).page(
      """
      <h1>The developer’s server: pages for operators</h1>
      <section class="card">
      <p>The purchase server of the app’s developer keeps what each customer has bought. On its pages, operators look up a customer, \
      see why a balance is what it is, and correct it.</p>
      \(access.map(steps) ?? "<p id=\"starting\">The server is being started. Load this page again.</p>")
      </section>
      """)
  }

  private func steps(_ access: Access) -> HTML {
    """
    <ol>
    <li>Copy the key: <pre id="operator-key" tabindex="0">\(access.key)</pre></li>
    <li><a class="button button-primary" id="operators" href="\(access.server.absoluteString)/operator/">Open the pages</a> and sign in with the key.</li>
    <li>Look up the id of a transaction, which is in the store’s console.</li>
    </ol>
    <p class="muted">The key is valid for this demo only, whose server accepts connections of this machine only.</p>
    """
  }
}
