vcl 4.1;

import std;

# A cache in front of the site. Start it with -p http_gzip_support=off: answers come compressed, also with Brotli.

backend portico {
    .host = "127.0.0.1";
    .port = "3000";
    .first_byte_timeout = 35s;
    .probe = {
        .url = "/readyz/serve";
        .interval = 1s;
        .timeout = 1s;
        .window = 3;
        .threshold = 2;
    }
}

sub vcl_recv {
    # Replaced, not added to: what strangers write there counts for nothing.
    set req.http.X-Forwarded-For = client.ip;
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # With a query, the page is the same: campaigns are read in the browser.
    if (req.url ~ "^/(\?.*)?$") {
        set req.url = "/";
    } elseif (req.url !~ "^/(assets|tags|isolado)/") {
        # Everything else is for one person: calls, the dashboard, health.
        return (pass);
    }
    unset req.http.Cookie;
    # An old page is shown only while the server is away.
    if (req.restarts == 0 && std.healthy(req.backend_hint)) {
        set req.grace = 0s;
    } else {
        set req.grace = 1d;
    }
    # The page exists in three encodings; browsers spell what they accept in hundreds of ways.
    if (req.http.Accept-Encoding ~ "\bbr\b") {
        set req.http.Accept-Encoding = "br";
    } elseif (req.http.Accept-Encoding ~ "\bgzip\b") {
        set req.http.Accept-Encoding = "gzip";
    } else {
        unset req.http.Accept-Encoding;
    }
    return (hash);
}

sub vcl_backend_response {
    if (bereq.uncacheable) {
        return (deliver);
    }
    if (beresp.status != 200 && beresp.status != 304) {
        # What does not exist yet may exist in a second.
        set beresp.uncacheable = true;
        set beresp.ttl = 0s;
        return (deliver);
    }
    if (bereq.url == "/") {
        # The page: asked for again every second with its ETag, whatever the number of visitors. A paused tag leaves the
        # page a second later.
        set beresp.ttl = 1s;
        set beresp.grace = 1d;
        set beresp.keep = 1d;
        # Says "you have this page already", to the cache, which would pass it on to people who have not.
        unset beresp.http.Server-Timing;
    }
    # Files have a year from the server.
    return (deliver);
}

# The server went away just now: once more, with the last page.
sub vcl_deliver {
    if (resp.status == 503 && req.restarts == 0 && req.url == "/") {
        return (restart);
    }
}
