import type { Vendor } from '../vendor.ts'

export const microsoftUet: Vendor = {
  id: 'microsoft-uet',
  kind: 'script',
  name: 'Microsoft Advertising',
  company: 'Microsoft Corporation',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios do Bing e da rede Microsoft.',
  category: 'marketing',
  signs: [
    /bat\.bing\.(?:com|net)\/bat\.js/i,
    /bat\.bing\.(?:com|net)\/action\/0\?/i,
    /\bnew UET ?\(/,
    /['"]uetq['"]/,
  ],
  ids: [/\bti['"]? ?: ?['"](\d{5,12})['"]/, /bat\.bing\.(?:com|net)\/action\/0\?ti=(\d{5,12})/],
  idLabel: 'ID da tag UET',
  sample: { code: 'w[u]=w[u]||[] … ti:"12345678" … //bat.bing.com/bat.js … "uetq"', id: '12345678' },
  hosts: {
    script: ['bat.bing.com', 'bat.bing.net'],
    connect: ['bat.bing.com', 'bat.bing.net', 'c.bing.com'],
    img: ['bat.bing.com', 'bat.bing.net', 'c.bing.com'],
  },
  optionalHosts: [
    {
      when: 'the account has Clarity linked to UET (tag/uet/<id>)',
      hosts: { script: ['*.clarity.ms'], connect: ['*.clarity.ms'], img: ['*.clarity.ms'] },
    },
  ],
  pageView: { hosts: ['bat.bing.com', 'bat.bing.net'], showsId: true },
  conversion: {
    call: 'uetq.push',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: ['event', 'lead', { event_category: 'conversion' }],
      contact: ['event', 'contact', { event_category: 'conversion' }],
      sign_up: ['event', 'sign_up', { event_category: 'conversion' }],
    },
  },
  isolated: 'works',
  suffixes: ['bat.bing.com', 'bat.bing.net', 'bing.com', 'bing.net', 'bat.r.msn.com'],
  cookies: [
    {
      name: { exact: '_uetsid' },
      duration: '1 dia',
      purpose: 'Identifica a sessão para medir anúncios da Microsoft.',
    },
    {
      name: { exact: '_uetvid' },
      duration: '13 meses',
      purpose: 'Identifica o visitante para medir anúncios da Microsoft.',
    },
    {
      name: { exact: '_uetmsclkid' },
      duration: '90 dias',
      purpose: 'Guarda o clique no anúncio da Microsoft (msclkid).',
    },
  ],
  thirdPartyCookies: [{ name: 'MUID', domain: 'bing.com', duration: '13 meses' }],
  storage: [
    { area: 'local', key: { exact: '_uetsid' } },
    { area: 'local', key: { exact: '_uetsid_exp' } },
    { area: 'local', key: { exact: '_uetvid' } },
    { area: 'local', key: { exact: '_uetvid_exp' } },
  ],
}
