import type { Vendor } from '../vendor.ts'

export const jivochat: Vendor = {
  id: 'jivochat',
  kind: 'script',
  name: 'JivoChat',
  company: 'Jivo (JivoSite Inc.)',
  country: 'US',
  purpose: 'Mostra o chat de atendimento no site.',
  category: 'funcionalidade',
  signs: [
    /code\.(?:jivosite\.com|jivo\.ru)\/(?:script\/)?widget\//i,
    /\bjivo_(?:api|onLoadCallback|init|destroy)\b/,
  ],
  ids: [/(?:jivosite\.com|jivo\.ru)\/(?:script\/)?widget\/([A-Za-z0-9]{8,12})/],
  idLabel: 'ID do widget Jivo',
  sample: { code: '<script src="//code.jivosite.com/widget/AbCdEfGh12" async>', id: 'AbCdEfGh12' },
  hosts: {
    script: ['code.jivosite.com', '*.jivosite.com'],
    connect: ['*.jivosite.com', 'wss://*.jivosite.com'],
    img: ['*.jivosite.com'],
    frame: ['*.jivosite.com'],
    style: ['*.jivosite.com'],
    font: ['*.jivosite.com'],
    media: ['*.jivosite.com'],
  },
  optionalHosts: [{ when: 'Russian accounts', hosts: { script: ['code.jivo.ru'], connect: ['*.jivo.ru'] } }],
  isolated: { needs: 'mostra o chat na página' },
  suffixes: ['jivosite.com', 'jivochat.com', 'jivo.ru'],
  cookies: [
    {
      name: { pattern: /^jv_[a-z_]+_[A-Za-z0-9]{8,12}$/, sample: 'jv_visits_count_AbCdEfGh12' },
      duration: 'não informado',
      purpose: 'Guarda visitas, origem e estado do chat Jivo.',
    },
  ],
  thirdPartyCookies: [],
  storage: [{ area: 'local', key: { prefix: 'jv_', sample: 'jv_store_AbCdEfGh12' } }],
}
