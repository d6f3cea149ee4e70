import { describe, expect, test } from 'vitest'
import { LEGAL_DATE, type LegalParties, type LegalSlug } from './document.ts'
import { LEGAL_DOCUMENTS } from './texts.ts'

const PARTIES: LegalParties = {
  brandName: 'Arco',
  contactEmail: 'oi@arco.example',
  legalName: 'Arco Pagamentos S.A.',
  cnpj: '12.345.678/0001-90',
  dpoEmail: 'dpo@arco.example',
  retention: { consentDays: 1826, auditDays: 730, failedLoginDays: 90, reportDays: 396 },
  logsRequests: false,
}

/** Every topic that the description names, by document. */
const TOPICS: Record<LegalSlug, RegExp[]> = {
  privacidade: [
    /Dados que coletamos/,
    /Como usamos/,
    /Compartilhamento/,
    /nunca são vendidos/,
    /Segurança/,
    /Retenção/,
    /Seus direitos/,
    /Cookies/,
    /Mudanças/,
    /Contato/,
    /dpo@arco\.example/,
  ],
  termos: [
    /Elegibilidade/,
    /Uso da plataforma/,
    /Segurança da conta/,
    /Propriedade intelectual/,
    /Limites de responsabilidade/,
    /Mudanças/,
    /leis da República Federativa do Brasil/,
  ],
  cookies: [/essenciais/, /desempenho/, /funcionalidade/, /marketing/, /no navegador/],
  compliance: [
    /lavagem de dinheiro/,
    /financiamento do terrorismo/,
    /transações suspeitas/,
    /Auditorias/,
    /Treinamento/,
    /Ética/,
    /Canal de denúncias/,
    /oi@arco\.example/,
  ],
}

describe.each(Object.entries(TOPICS) as [LegalSlug, RegExp[]][])('%s', (slug, topics) => {
  const words = JSON.stringify(LEGAL_DOCUMENTS[slug](PARTIES))
  test.each(topics)('covers %s', (topic) => {
    expect(words).toMatch(topic)
  })
  test('names the brand of the installation and no other', () => {
    expect(words).toContain('Arco')
    expect(words).not.toMatch(/pórtico|null|undefined/i)
  })
})

test('the officer falls back to the general contact', () => {
  expect(JSON.stringify(LEGAL_DOCUMENTS.privacidade({ ...PARTIES, dpoEmail: null }))).toContain(
    'oi@arco.example',
  )
})

test('the documents are dated', () => {
  expect(LEGAL_DATE).toBe('Agosto de 2025')
})

describe.each([
  {
    name: 'the default periods',
    parties: PARTIES,
    says: ['escolha de cookies: 5 anos.', 'painel: 2 anos.', 'falharam: 90 dias.', 'ninguém: 13 meses.'],
    omits: ['egistros de acesso', 'Meta'],
  },
  {
    name: 'other periods and access logs',
    parties: {
      ...PARTIES,
      logsRequests: true,
      retention: { consentDays: 365, auditDays: 1, failedLoginDays: 7, reportDays: 400 },
    },
    says: [
      'escolha de cookies: 1 ano.',
      'painel: 1 dia.',
      'falharam: 7 dias.',
      'ninguém: 400 dias.',
      'registros de acesso exigidos',
      'Registros de acesso: 6 meses, por lei.',
    ],
    omits: ['5 anos', '13 meses', 'Meta'],
  },
  {
    name: 'a pixel that sends the hashed address',
    parties: {
      ...PARTIES,
      sendsEmail: true,
      retention: { consentDays: 3652, auditDays: 183, failedLoginDays: 30, reportDays: 730 },
    },
    says: [
      'escolha de cookies: 10 anos.',
      'painel: 6 meses.',
      'falharam: 30 dias.',
      'ninguém: 2 anos.',
      'Se você aceitou os cookies de marketing',
    ],
    omits: ['egistros de acesso', '13 meses'],
  },
])('the privacy policy with $name', ({ parties, says, omits }) => {
  const text = JSON.stringify(LEGAL_DOCUMENTS.privacidade(parties)).replaceAll('\u00a0', ' ')
  test.each(says)('says %s', (sentence) => expect(text).toContain(sentence))
  test.each(omits)('does not say %s', (sentence) => expect(text).not.toContain(sentence))
})
