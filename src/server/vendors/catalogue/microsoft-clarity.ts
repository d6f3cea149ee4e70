import type { Vendor } from '../vendor.ts'

export const microsoftClarity: Vendor = {
  id: 'microsoft-clarity',
  kind: 'script',
  name: 'Microsoft Clarity',
  company: 'Microsoft Corporation',
  country: 'US',
  purpose: 'Grava sessões e mapas de calor para entender o uso das páginas.',
  category: 'desempenho',
  signs: [/www\.clarity\.ms\/tag\//i, /['"]clarity['"] ?, ?['"]script['"]/],
  ids: [
    /['"]clarity['"] ?, ?['"]script['"] ?, ?['"]([a-z0-9]{6,20})['"]/,
    /clarity\.ms\/tag\/([a-z0-9]{6,20})\b/,
  ],
  idLabel: 'ID do projeto Clarity',
  sample: {
    code: 'www.clarity.ms/tag/ … (window, document, "clarity", "script", "abcde12345")',
    id: 'abcde12345',
  },
  hosts: {
    script: ['*.clarity.ms'],
    connect: ['*.clarity.ms', 'c.bing.com'],
    img: ['*.clarity.ms', 'c.bing.com'],
  },
  pageView: { hosts: ['*.clarity.ms'], showsId: false },
  conversion: {
    call: 'clarity',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['event', 'lead'], contact: ['event', 'contact'], sign_up: ['event', 'sign_up'] },
  },
  isolated: { needs: 'grava o que acontece na página' },
  suffixes: ['clarity.ms', 'c.bing.com'],
  cookies: [
    {
      name: { exact: '_clck' },
      duration: '1 ano',
      purpose: 'Identifica o visitante no Microsoft Clarity entre visitas.',
    },
    {
      name: { exact: '_clsk' },
      duration: '1 dia',
      purpose: 'Une as páginas vistas em uma só gravação de sessão.',
    },
  ],
  thirdPartyCookies: [
    { name: 'CLID', domain: 'www.clarity.ms', duration: '1 ano' },
    { name: 'MUID', domain: 'bing.com', duration: '13 meses' },
  ],
  storage: [{ area: 'session', key: { exact: '_cltk' } }],
}
