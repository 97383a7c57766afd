/// Names that break naive code: markup, control characters, very long texts. Every store must accept them.
package enum HostileText {
  package static let all = [
    #"<script>alert(1)</script>"#, #"" onmouseover="alert(1)" x=""#, "' onfocus='alert(1)",
    "'><img src=x onerror=alert(1)>", "\"\u{301} autofocus onfocus=alert(1) x=\"",
    "\"\u{301}><script>alert(2)</script>",
    "</title></pre></textarea><img src=x onerror=alert(1)>", "\u{202E}evil\u{202C} \u{2066}x", "&lt;b&amp;",
    "{{x}} ${y} `z` $(id)", "it's; rm -rf /tmp/nothing \\ \\\\ !! #", "line\nbreak\ttab\r\u{1}\u{7F}\u{9B}",
    "\u{1B}[2J\u{1B}]0;forged\u{7}", "..", "a/b?c=d&e#f", "100% _ * ?", "\u{200B}\u{FEFF}\u{2066}", "%2e%2e/%00?a=b#c",
    "名前 👩‍👩‍👧 e\u{301}\u{301}\u{301}", "-X DELETE", "--all",
    "@/etc/passwd", "]]><!--", "9007199254740993", String(repeating: "W", count: 10_000),
    String(repeating: "𝔘", count: 2_000), String(repeating: "<b>&\"'é漢", count: 1_250),
    // The maximum number of combining marks in a row.
    "zalgo" + String(repeating: "\u{301}", count: 30),
    String(repeating: "a\u{301}\u{302}", count: 2_000),
  ]
}
