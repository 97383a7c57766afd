/// Names that somebody with bad intentions, or none, might choose.
enum HostileText {
  static let all = [
    #"<script>alert(1)</script>"#, #"" onmouseover="alert(1)" x=""#, "' onfocus='alert(1)",
    "\"\u{301} autofocus onfocus=alert(1) x=\"",
    "</title></pre></textarea><img src=x onerror=alert(1)>", "\u{202E}evil\u{202C} \u{2066}x", "&lt;b&amp;",
    "{{x}} ${y} `z` $(id)",
    "it's; rm -rf /tmp/nothing \\ \\\\ !! #", "line\nbreak\ttab\r\u{1}\u{7F}\u{9B}", "..", "%2e%2e/%00?a=b#c",
    "名前 👩‍👩‍👧 e\u{301}\u{301}\u{301}", "-X DELETE", "@/etc/passwd", "]]><!--",
    String(repeating: "W", count: 10_000), String(repeating: "𝔘", count: 2_000),
  ]
}
