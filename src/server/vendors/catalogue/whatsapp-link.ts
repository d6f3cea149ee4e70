import type { Vendor } from '../vendor.ts'

export const whatsappLink: Vendor = {
  id: 'whatsapp-link',
  kind: 'link',
  name: 'Botão do WhatsApp',
  company: 'WhatsApp LLC (Meta)',
  country: 'US',
  purpose: 'Abre uma conversa no WhatsApp quando a pessoa clica no botão.',
  category: 'funcionalidade',
  signs: [/\/\/(?:wa\.me|api\.whatsapp\.com|web\.whatsapp\.com)\//i],
  ids: [
    /wa\.me\/\+?(\d{10,15})/,
    /(?:api|web)\.whatsapp\.com\/send\/?\?(?:[^"' >?]*[&;])?phone=\+?(\d{10,15})/,
  ],
  idLabel: 'Número com país e DDD',
  sample: { code: '<a href="https://wa.me/5511912345678?text=Oi">', id: '5511912345678' },
  hosts: {},
  suffixes: ['wa.me', 'whatsapp.com', 'whatsapp.net'],
  cookies: [],
  thirdPartyCookies: [],
  storage: [],
}
