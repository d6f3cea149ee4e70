import type { Vendor } from '../vendor.ts'

export const zendesk: Vendor = {
  id: 'zendesk',
  kind: 'script',
  name: 'Zendesk',
  company: 'Zendesk, Inc.',
  country: 'US',
  purpose: 'Mostra o chat e a central de ajuda da Zendesk no site.',
  category: 'funcionalidade',
  signs: [
    /static\.zdassets\.com\/ekr\/snippet\.js/i,
    /v2\.zopim\.com\//i,
    /id=['"]ze-snippet['"]/,
    /\$zopim\b/,
  ],
  ids: [
    /zdassets\.com\/ekr\/snippet\.js\?key=([0-9a-f]{8}-[0-9a-f-]{27})/,
    /v2\.zopim\.com\/\?([A-Za-z0-9]{20,40})/,
  ],
  idLabel: 'Chave do widget (key)',
  sample: {
    code: '<script id="ze-snippet" src="https://static.zdassets.com/ekr/snippet.js?key=01234567-89ab-4cde-8f01-23456789abcd">',
    id: '01234567-89ab-4cde-8f01-23456789abcd',
  },
  hosts: {
    script: ['static.zdassets.com', 'ekr.zdassets.com'],
    connect: [
      'static.zdassets.com',
      'ekr.zdassets.com',
      'ekr.zendesk.com',
      '*.zendesk.com',
      'api.smooch.io',
      'media.smooch.io',
      'zendesk-eu.my.sentry.io',
      'wss://*.zendesk.com',
      'wss://api.smooch.io',
    ],
    img: [
      'static.zdassets.com',
      'accounts.zendesk.com',
      '*.zendesk.com',
      'media.smooch.io',
      '*.zdusercontent.com',
    ],
    font: ['static.zdassets.com'],
    media: ['static.zdassets.com'],
  },
  optionalHosts: [
    {
      when: 'classic widget (Zopim chat)',
      hosts: { connect: ['*.zopim.com', 'wss://*.zopim.com'], img: ['v2assets.zopim.io'] },
    },
    { when: 'voice calls', hosts: { connect: ['*.twilio.com', 'wss://voice-js.roaming.twilio.com'] } },
  ],
  isolated: { needs: 'mostra o chat na página' },
  suffixes: ['zdassets.com', 'zendesk.com', 'zopim.com', 'zopim.io', 'smooch.io', 'zdusercontent.com'],
  cookies: [
    { name: { exact: '__zlcmid' }, duration: '1 ano', purpose: 'Identifica o visitante no chat da Zendesk.' },
    {
      name: { exact: '__zlcprivacy' },
      duration: '1 ano',
      purpose: 'Guarda a escolha de privacidade do chat.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { prefix: 'ZD-', sample: 'ZD-suid' } },
    { area: 'local', key: { exact: '__zlcstore' } },
  ],
}
