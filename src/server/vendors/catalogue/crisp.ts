import type { Vendor } from '../vendor.ts'

export const crisp: Vendor = {
  id: 'crisp',
  kind: 'script',
  name: 'Crisp',
  company: 'Crisp IM SAS',
  country: 'FR',
  purpose: 'Mostra o chat de atendimento no site.',
  category: 'funcionalidade',
  signs: [/client\.crisp\.chat\/l\.js/i, /\bCRISP_WEBSITE_ID\b/],
  ids: [/CRISP_WEBSITE_ID ?= ?['"]([0-9a-f]{8}-[0-9a-f-]{27})['"]/],
  idLabel: 'ID do site (Website ID)',
  sample: {
    code: 'window.$crisp=[];window.CRISP_WEBSITE_ID="01234567-89ab-4cde-8f01-23456789abcd"; … client.crisp.chat/l.js',
    id: '01234567-89ab-4cde-8f01-23456789abcd',
  },
  hosts: {
    script: ['client.crisp.chat'],
    connect: [
      'client.crisp.chat',
      'storage.crisp.chat',
      'client.relay.crisp.chat',
      'stream.relay.crisp.chat',
      'wss://client.relay.crisp.chat',
      'wss://stream.relay.crisp.chat',
    ],
    img: ['client.crisp.chat', 'image.crisp.chat', 'storage.crisp.chat'],
    frame: ['game.crisp.chat'],
    style: ['client.crisp.chat'],
    font: ['client.crisp.chat'],
    media: ['client.crisp.chat'],
  },
  conversion: {
    call: '$crisp.push',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: [['set', 'session:event', [['lead']]]],
      contact: [['set', 'session:event', [['contact']]]],
      sign_up: [['set', 'session:event', [['sign_up']]]],
    },
  },
  isolated: { needs: 'mostra o chat na página' },
  suffixes: ['crisp.chat', 'crisp.im'],
  cookies: [
    {
      name: { prefix: 'crisp-client/', sample: 'crisp-client/session/01234567-89ab-4cde-8f01-23456789abcd' },
      duration: '6 meses',
      purpose: 'Mantém a conversa e a sessão do chat Crisp.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    {
      area: 'local',
      key: { prefix: 'crisp-client/', sample: 'crisp-client/session/01234567-89ab-4cde-8f01-23456789abcd' },
    },
  ],
}
