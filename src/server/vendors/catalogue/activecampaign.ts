import type { Vendor } from '../vendor.ts'

export const activecampaign: Vendor = {
  id: 'activecampaign',
  kind: 'script',
  name: 'ActiveCampaign',
  company: 'ActiveCampaign, LLC',
  country: 'US',
  purpose: 'Acompanha as páginas que seus contatos visitam, para e-mail e automação.',
  category: 'marketing',
  signs: [
    /diffuser-cdn\.app-us1\.com\/diffuser\//i,
    /trackcmp\.net\//i,
    /\.activehosted\.com\/f\/embed\.php/i,
    /\bvgo ?\( ?['"]setAccount['"]/,
  ],
  ids: [/\bvgo ?\( ?['"]setAccount['"] ?, ?['"](\d{4,14})['"]/, /\bactid=(\d{4,14})/],
  idLabel: 'ID da conta ActiveCampaign',
  sample: {
    code: "diffuser-cdn.app-us1.com/diffuser/diffuser.js … vgo('setAccount', '123456789'); vgo('setTrackByDefault', true); vgo('process');",
    id: '123456789',
  },
  hosts: {
    script: ['diffuser-cdn.app-us1.com', 'prism.app-us1.com', 'trackcmp.net'],
    connect: ['prism.app-us1.com', 'trackcmp.net'],
    img: ['trackcmp.net'],
  },
  optionalHosts: [
    {
      when: 'embedded forms',
      hosts: {
        script: ['{account}.activehosted.com'],
        connect: ['{account}.activehosted.com'],
        img: ['{account}.activehosted.com'],
      },
    },
  ],
  pageView: { hosts: ['trackcmp.net', 'prism.app-us1.com'], showsId: false },
  isolated: { needs: 'lê os formulários da página e abre pop-ups' },
  suffixes: ['app-us1.com', 'trackcmp.net', 'activehosted.com', 'activecampaign.com'],
  cookies: [
    {
      name: { pattern: /^prism_\d+$/, sample: 'prism_123456789' },
      duration: '30 dias',
      purpose: 'Identifica o visitante no ActiveCampaign.',
    },
    {
      name: { exact: 'ac_enable_tracking' },
      duration: '30 dias',
      purpose: 'Guarda a permissão de acompanhamento do ActiveCampaign.',
    },
  ],
  thirdPartyCookies: [],
  storage: [],
}
