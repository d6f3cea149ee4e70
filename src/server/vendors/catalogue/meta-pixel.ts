import type { Vendor } from '../vendor.ts'

export const metaPixel: Vendor = {
  id: 'meta-pixel',
  kind: 'script',
  name: 'Meta Pixel',
  company: 'Meta Platforms, Inc.',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios no Facebook e no Instagram.',
  category: 'marketing',
  signs: [
    /connect\.facebook\.net\/[a-z]{2}_[a-z]{2}\/fbevents\.js/i,
    /www\.facebook\.com\/tr\?/i,
    /\bfbq ?\( ?['"]init['"]/,
  ],
  ids: [
    /\bfbq ?\( ?['"]init['"] ?, ?['"]?(\d{5,20})/,
    /facebook\.com\/tr\/?\?(?:[^"' >?]*[&;])?id=(\d{5,20})/,
  ],
  idLabel: 'ID do pixel (conjunto de dados)',
  sample: {
    code: "connect.facebook.net/pt_BR/fbevents.js … fbq('init', '123456789012345'); fbq('track', 'PageView');",
    id: '123456789012345',
  },
  hosts: {
    script: ['connect.facebook.net'],
    connect: ['www.facebook.com', 'connect.facebook.net'],
    img: ['www.facebook.com'],
    frame: ['www.facebook.com'],
    form: ['www.facebook.com'],
  },
  pageView: { hosts: ['www.facebook.com'], showsId: true },
  conversion: {
    call: 'fbq',
    events: { lead: 'Lead', contact: 'Contact', sign_up: 'CompleteRegistration' },
    args: {
      lead: ['track', 'Lead', {}, { eventID: '$id' }],
      contact: ['track', 'Contact', {}, { eventID: '$id' }],
      sign_up: ['track', 'CompleteRegistration', {}, { eventID: '$id' }],
    },
  },
  isolated: 'works',
  suffixes: ['facebook.net', 'facebook.com', 'fbcdn.net', 'fbsbx.com'],
  cookies: [
    {
      name: { exact: '_fbp' },
      duration: '90 dias',
      purpose: 'Identifica o navegador para medir e direcionar anúncios da Meta.',
    },
    {
      name: { exact: '_fbc' },
      duration: '90 dias',
      purpose: 'Guarda o clique no anúncio da Meta que trouxe a pessoa ao site.',
    },
  ],
  thirdPartyCookies: [{ name: 'fr', domain: 'facebook.com', duration: '90 dias' }],
  storage: [
    { area: 'local', key: { exact: 'lastExternalReferrer' } },
    { area: 'local', key: { exact: 'lastExternalReferrerTime' } },
  ],
}
