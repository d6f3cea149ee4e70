import type { Vendor } from '../vendor.ts'

export const googleSiteVerification: Vendor = {
  id: 'google-site-verification',
  kind: 'meta',
  name: 'Verificação do Google',
  company: 'Google LLC',
  country: 'US',
  purpose: 'Prova ao Google que o site é seu; não coleta dados de quem visita.',
  category: null,
  signs: [/<meta [^<>]*name=['"]google-site-verification['"]/i],
  ids: [
    /name=['"]google-site-verification['"] content=['"]([\w-]{20,80})['"]/i,
    /content=['"]([\w-]{20,80})['"] name=['"]google-site-verification['"]/i,
  ],
  idLabel: 'Código de verificação',
  sample: {
    code: '<meta name="google-site-verification" content="AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdEFG">',
    id: 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdEFG',
  },
  hosts: {},
  suffixes: [],
  cookies: [],
  thirdPartyCookies: [],
  storage: [],
  advice:
    'Isto não é um script: é um código que prova que o site é seu. Vamos colocá-lo no HTML da página inicial, sem pedir consentimento. Não apague depois de verificar: o Google confere de novo. Se preferir, use o registro DNS.',
}
