internal import BullaRecordsWeb

/// The files of the console, which are built into the program: no file is read from disk for a
/// request, so no path in a request can lead to any other file.
enum ConsolePage {
    /// Keeps browsers from loading anything from elsewhere, running text as a script, or showing
    /// the page in a frame.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self'", "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private static let headers = [
        WebHeader("Content-Security-Policy", policy),
        WebHeader("Referrer-Policy", "no-referrer"),
        WebHeader("Cross-Origin-Opener-Policy", "same-origin"),
        WebHeader("Cross-Origin-Resource-Policy", "same-origin"),
        WebHeader("X-Frame-Options", "DENY"),
    ]

    /// The answer to a request for a file; `nil` if no file has this name.
    ///
    /// - Parameter name: the path after `/console/`, which is empty for the page itself.
    static func answer(_ name: String) -> WebAnswer? {
        guard let bytes = files[name] else { return nil }
        let type =
            switch name.split(separator: ".").last {
            case "js": "text/javascript"
            case "css": "text/css"
            case "svg": "image/svg+xml"
            default: "text/html"
            }
        return WebAnswer(
            bytes, headers: [WebHeader("Content-Type", "\(type); charset=UTF-8")] + headers)
    }

    private static let files: [String: [UInt8]] = [
        "": PackageResources.console_html, "console.css": PackageResources.console_css,
        "icon.svg": PackageResources.icon_svg, "console.js": PackageResources.console_js,
        "account.js": PackageResources.account_js, "assets.js": PackageResources.assets_js,
        "dialog.js": PackageResources.dialog_js, "difference.js": PackageResources.difference_js,
        "element.js": PackageResources.element_js, "field.js": PackageResources.field_js,
        "notice.js": PackageResources.notice_js, "record.js": PackageResources.record_js,
        "records.js": PackageResources.records_js, "schema.js": PackageResources.schema_js,
        "service.js": PackageResources.service_js, "session.js": PackageResources.session_js,
        "zones.js": PackageResources.zones_js,
    ]
}
