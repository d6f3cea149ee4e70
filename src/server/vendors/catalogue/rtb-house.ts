import type { Vendor } from '../vendor.ts'

export const rtbHouse: Vendor = {
  id: 'rtb-house',
  kind: 'script',
  name: 'RTB House',
  company: 'RTB House S.A.',
  country: 'PL',
  purpose: 'Mostra anúncios de remarketing com os produtos vistos no site.',
  category: 'marketing',
  signs: [/tags\.creativecdn\.com\/[a-z0-9]{15,25}\.js/i, /\bcreativecdn\.com\/tags/i, /\brtbhEvents\b/],
  ids: [
    /tags\.creativecdn\.com\/([A-Za-z0-9]{15,25})\.js/,
    /['"]rtbhEvents['"] ?, ?['"]([A-Za-z0-9]{15,25})['"]/,
    /creativecdn\.com\/tags\?(?:[^"' >?]*[&;])?id=pr_([A-Za-z0-9]{15,25})_/,
  ],
  idLabel: 'Hash da tag RTB House',
  sample: {
    code: "tags.creativecdn.com/AbCdEfGhIjKlMnOpQrSt.js … (window,document,'rtbhEvents','AbCdEfGhIjKlMnOpQrSt')",
    id: 'AbCdEfGhIjKlMnOpQrSt',
  },
  hosts: {
    script: ['tags.creativecdn.com'],
    connect: ['us.creativecdn.com'],
    img: ['us.creativecdn.com', 'creativecdn.com'],
    frame: ['us.creativecdn.com', 'creativecdn.com'],
  },
  optionalHosts: [
    {
      when: 'account on another data centre',
      hosts: {
        connect: ['ams.creativecdn.com', 'asia.creativecdn.com'],
        frame: ['ams.creativecdn.com', 'asia.creativecdn.com'],
      },
    },
  ],
  pageView: { hosts: ['us.creativecdn.com', 'creativecdn.com'], showsId: false },
  isolated: 'works',
  suffixes: ['creativecdn.com', 'erne.co', 'rtbhouse.com'],
  cookies: [
    {
      name: { exact: '__rtbh.uid' },
      duration: '1 ano',
      purpose: 'Identifica o cliente para anúncios da RTB House.',
    },
    {
      name: { exact: '__rtbh.lid' },
      duration: '1 ano',
      purpose: 'Identifica o navegador para anúncios da RTB House.',
    },
    { name: { exact: '__rtbh.aid' }, duration: '1 ano', purpose: 'Identificador de anúncios da RTB House.' },
  ],
  thirdPartyCookies: [
    { name: 'u', domain: 'creativecdn.com', duration: '1 ano' },
    { name: 'c', domain: 'creativecdn.com', duration: '1 ano' },
    { name: 'g', domain: 'creativecdn.com', duration: '1 ano' },
  ],
  storage: [],
}
