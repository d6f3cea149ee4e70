import type { Vendor } from '../vendor.ts'

export const tiktokPixel: Vendor = {
  id: 'tiktok-pixel',
  kind: 'script',
  name: 'TikTok Pixel',
  company: 'TikTok Pte. Ltd. (ByteDance)',
  country: 'SG',
  purpose: 'Mede conversões e cria públicos para anúncios no TikTok.',
  category: 'marketing',
  signs: [/analytics\.tiktok\.com\/i18n\/pixel\/events\.js/i, /\bTiktokAnalyticsObject\b/, /\bttq\.load ?\(/],
  ids: [/\bttq\.load ?\( ?['"]([A-Z0-9]{10,30})['"]/, /pixel\/events\.js\?sdkid=([A-Z0-9]{10,30})/],
  idLabel: 'ID do pixel do TikTok',
  sample: {
    code: "w.TiktokAnalyticsObject=t … analytics.tiktok.com/i18n/pixel/events.js … ttq.load('C1ABCDEF2GHIJKLMNOP0'); ttq.page();",
    id: 'C1ABCDEF2GHIJKLMNOP0',
  },
  hosts: {
    script: ['analytics.tiktok.com', 'analytics-ipv6.tiktokw.us', 'ads.tiktok.com'],
    connect: ['analytics.tiktok.com', 'analytics-ipv6.tiktokw.us', 'ads.tiktok.com'],
    img: ['analytics.tiktok.com', 'analytics-ipv6.tiktokw.us', 'ads.tiktok.com'],
  },
  optionalHosts: [
    {
      when: 'account set to the US region',
      hosts: { script: ['analytics.us.tiktok.com'], connect: ['analytics.us.tiktok.com'] },
    },
  ],
  pageView: { hosts: ['analytics.tiktok.com', 'analytics-ipv6.tiktokw.us'], showsId: false },
  conversion: {
    call: 'ttq.track',
    events: { lead: 'Lead', contact: 'Contact', sign_up: 'CompleteRegistration' },
    formerEvents: ['SubmitForm'],
    args: {
      lead: ['Lead', {}, { event_id: '$id' }],
      contact: ['Contact', {}, { event_id: '$id' }],
      sign_up: ['CompleteRegistration', {}, { event_id: '$id' }],
    },
  },
  isolated: 'works',
  suffixes: ['analytics.tiktok.com', 'tiktok.com', 'tiktokw.us', 'tiktokcdn.com', 'mon.tiktokv.com'],
  cookies: [
    {
      name: { exact: '_ttp' },
      duration: '13 meses',
      purpose: 'Identifica o navegador para medir e direcionar anúncios do TikTok.',
    },
    {
      name: { exact: '_tt_enable_cookie' },
      duration: '13 meses',
      purpose: 'Registra se os cookies do pixel do TikTok podem ser usados.',
    },
    {
      name: { pattern: /^ttcsid(_[A-Z0-9]+)?$/, sample: 'ttcsid_C1ABCDEF2GHIJKLMNOP0' },
      duration: '13 meses',
      purpose: 'Identifica a sessão de navegação para o pixel do TikTok.',
    },
    { name: { exact: 'ttclid' }, duration: '30 dias', purpose: 'Guarda o clique no anúncio do TikTok.' },
  ],
  thirdPartyCookies: [{ name: '_ttp', domain: 'tiktok.com', duration: '13 meses' }],
  storage: [
    { area: 'session', key: { exact: 'tt_appInfo' } },
    { area: 'session', key: { exact: 'tt_sessionId' } },
    { area: 'session', key: { exact: 'tt_pixel_session_index' } },
  ],
}
