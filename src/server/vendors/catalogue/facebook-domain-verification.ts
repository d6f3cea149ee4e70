import type { Vendor } from '../vendor.ts'

export const facebookDomainVerification: Vendor = {
  id: 'facebook-domain-verification',
  kind: 'meta',
  name: 'Verificação de domínio da Meta',
  company: 'Meta Platforms, Inc.',
  country: 'US',
  purpose: 'Prova à Meta que o domínio é seu; não coleta dados de quem visita.',
  category: null,
  signs: [/<meta [^<>]*name=['"]facebook-domain-verification['"]/i],
  ids: [
    /name=['"]facebook-domain-verification['"] content=['"]([a-z0-9]{20,60})['"]/i,
    /content=['"]([a-z0-9]{20,60})['"] name=['"]facebook-domain-verification['"]/i,
  ],
  idLabel: 'Código de verificação',
  sample: {
    code: '<meta name="facebook-domain-verification" content="abcdefghij0123456789klmnopqrst" />',
    id: 'abcdefghij0123456789klmnopqrst',
  },
  hosts: {},
  suffixes: [],
  cookies: [],
  thirdPartyCookies: [],
  storage: [],
  advice:
    'Isto não é um script: é um código que prova que o domínio é seu. Vamos colocá-lo no HTML da página inicial, sem pedir consentimento. Publique e depois clique em Verificar no Gerenciador de Negócios da Meta.',
}
