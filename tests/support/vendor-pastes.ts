import { inline, loads } from './vendor-stand-ins/snippet.ts'

/**
 * A typical paste of each vendor without a stand-in. Their files are empty: only what the snippet itself requests is
 * seen.
 */
export const PASTES: Readonly<Record<string, string>> = {
  'google-floodlight': `<script async src="https://www.googletagmanager.com/gtag/js?id=DC-1234567"></script>
${inline('window.dataLayer = window.dataLayer || []; function gtag() { dataLayer.push(arguments) }', "gtag('js', new Date()); gtag('config', 'DC-1234567');")}`,
  contentsquare: inline(
    'window._uxa = window._uxa || [];',
    loads("'https://t.contentsquare.net/uxa/0123456789abc.js'"),
  ),
  mouseflow: inline(
    'window._mfq = window._mfq || [];',
    loads("'https://cdn.mouseflow.com/projects/01234567-89ab-4cde-8f01-23456789abcd.js'"),
  ),
  logrocket: `<script src="https://cdn.lgrckt-in.com/LogRocket.min.js"></script>
${inline("window.LogRocket && window.LogRocket.init('abc123/meu-site');")}`,
  jivochat: '<script src="//code.jivosite.com/widget/AbCdEfGh12" async></script>',
  zendesk:
    '<script id="ze-snippet" src="https://static.zdassets.com/ekr/snippet.js?key=01234567-89ab-4cde-8f01-23456789abcd"></script>',
  crisp: inline(
    'window.$crisp = []; window.CRISP_WEBSITE_ID = "01234567-89ab-4cde-8f01-23456789abcd";',
    loads("'https://client.crisp.chat/l.js'"),
  ),
  'tawk-to': inline(
    'var Tawk_API = Tawk_API || {}, Tawk_LoadStart = new Date();',
    loads("'https://embed.tawk.to/0123456789abcdef01234567/default'"),
  ),
  blip: `<script src="https://unpkg.com/blip-chat-widget" type="text/javascript"></script>
${inline("window.BlipChat && new BlipChat().withAppKey('bWV1LWJvdDowMTIzNDU2Nzg5YWJjZGVm').build();")}`,
  'whatsapp-link': '<a href="https://wa.me/5511912345678?text=Oi">WhatsApp</a>',
  vwo: inline(
    'window._vwo_code = { account_id: 123456 }; var account_id=123456;',
    loads("'https://dev.visualwebsiteoptimizer.com/j.php?a=123456'"),
  ),
  optimizely: '<script src="https://cdn.optimizely.com/js/1234567890.js"></script>',
  matomo: inline(
    "var _paq = window._paq = window._paq || []; _paq.push(['trackPageView']);",
    "var u=\"https://minhaconta.matomo.cloud/\"; _paq.push(['setTrackerUrl', u + 'matomo.php']); _paq.push(['setSiteId', '1']);",
    loads("'https://cdn.matomo.cloud/minhaconta.matomo.cloud/matomo.js'"),
  ),
  insider: '<script async src="https://minhaloja.api.useinsider.com/ins.js?id=10001234"></script>',
  'google-site-verification':
    '<meta name="google-site-verification" content="AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdEFG">',
  'facebook-domain-verification':
    '<meta name="facebook-domain-verification" content="abcdefghij0123456789klmnopqrst">',
}
