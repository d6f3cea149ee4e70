import type { Vendor } from '../vendor.ts'

export const tawkTo: Vendor = {
  id: 'tawk-to',
  kind: 'script',
  name: 'tawk.to',
  company: 'tawk.to, Inc.',
  country: 'US',
  purpose: 'Mostra o chat de atendimento no site.',
  category: 'funcionalidade',
  signs: [/embed\.tawk\.to\/[0-9a-f]{24}/i, /\bTawk_(?:API|LoadStart)\b/],
  ids: [/embed\.tawk\.to\/([0-9a-f]{24}\/[A-Za-z0-9]+)/],
  idLabel: 'ID da propriedade e do widget',
  sample: {
    code: 'var Tawk_API=Tawk_API||{}, Tawk_LoadStart=new Date(); … embed.tawk.to/0123456789abcdef01234567/default',
    id: '0123456789abcdef01234567/default',
  },
  hosts: {
    script: ['embed.tawk.to'],
    connect: ['*.tawk.to', 'wss://*.tawk.to'],
    img: ['*.tawk.to', 'tawk.link'],
    frame: ['*.tawk.to'],
    style: ['embed.tawk.to', 'fonts.googleapis.com'],
    font: ['embed.tawk.to', 'fonts.gstatic.com'],
    form: ['*.tawk.to'],
    media: ['*.tawk.to'],
  },
  optionalHosts: [
    {
      when: 'emoji are used (serves anybody’s files)',
      hosts: { script: ['cdn.jsdelivr.net'], img: ['cdn.jsdelivr.net'], style: ['cdn.jsdelivr.net'] },
    },
  ],
  isolated: { needs: 'mostra o chat na página' },
  suffixes: ['tawk.to', 'tawkcdn.com', 'tawk.link'],
  cookies: [
    {
      name: { pattern: /^twk_uuid_[0-9a-f]{24}$/, sample: 'twk_uuid_0123456789abcdef01234567' },
      duration: '6 meses',
      purpose: 'Identifica o visitante no chat tawk.to.',
    },
    { name: { exact: 'twk_idm_key' }, duration: 'sessão', purpose: 'Mantém a conexão do chat.' },
    {
      name: { exact: 'TawkConnectionTime' },
      duration: 'sessão',
      purpose: 'Controla o tempo de conexão do chat.',
    },
    {
      name: { exact: '__tawkuuid' },
      duration: '6 meses',
      purpose: 'Versão antiga: identifica o visitante no chat.',
    },
  ],
  thirdPartyCookies: [],
  storage: [{ area: 'local', key: { prefix: 'twk_', sample: 'twk_token' } }],
}
