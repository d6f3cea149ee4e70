import { describe, expect, test } from 'vitest'
import { LEGAL_DATE, type LegalFacts, type LegalSlug } from './document.ts'
import { LEGAL_DOCUMENTS } from './texts.ts'

const COMPANY: LegalFacts = {
  brandName: 'Arco',
  contactEmail: 'oi@arco.example',
  legalName: 'Arco Pagamentos S.A.',
  cnpj: '12.345.678/0001-90',
  dpoEmail: 'dpo@arco.example',
  retention: { consentDays: 1826, auditDays: 730, failedLoginDays: 90, reportDays: 396, visitDays: 761 },
  logsRequests: false,
  countsVisits: true,
}

/** The topics that each legal document must cover. */
const TOPICS: Record<LegalSlug, RegExp[]> = {
  privacidade: [
    /Dados que coletamos/,
    /Como usamos/,
    /Contagem de visitas/,
    /Não contar minhas visitas/,
    /Global Privacy Control/,
    /Código da visita.*90\u00a0dias/,
    /informar o resultado à plataforma do anúncio/,
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
  const words = JSON.stringify(LEGAL_DOCUMENTS[slug](COMPANY))
  test.each(topics)('covers %s', (topic) => {
    expect(words).toMatch(topic)
  })
  test('names the brand of the installation and no other', () => {
    expect(words).toContain('Arco')
    expect(words).not.toMatch(/pórtico|null|undefined/i)
  })
})

test('the officer defaults to the general contact', () => {
  expect(JSON.stringify(LEGAL_DOCUMENTS.privacidade({ ...COMPANY, dpoEmail: null }))).toContain(
    'oi@arco.example',
  )
})

test('the documents are dated', () => {
  expect(LEGAL_DATE).toBe('Agosto de 2025')
})

describe.each([
  {
    name: 'the default periods',
    facts: COMPANY,
    says: ['escolha de cookies: 5 anos.', 'painel: 2 anos.', 'falharam: 90 dias.', 'ninguém: 13 meses.'],
    omits: ['egistros de acesso', 'Meta'],
  },
  {
    name: 'other periods and access logs',
    facts: {
      ...COMPANY,
      logsRequests: true,
      retention: { consentDays: 365, auditDays: 1, failedLoginDays: 7, reportDays: 400, visitDays: 761 },
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
    facts: {
      ...COMPANY,
      emailSharing: { recipients: ['a Meta'], ofCustomers: false },
      retention: { consentDays: 3652, auditDays: 183, failedLoginDays: 30, reportDays: 730, visitDays: 761 },
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
])('the privacy policy with $name', ({ facts, says, omits }) => {
  const text = JSON.stringify(LEGAL_DOCUMENTS.privacidade(facts)).replaceAll('\u00a0', ' ')
  test.each(says)('says %s', (sentence) => expect(text).toContain(sentence))
  test.each(omits)('does not say %s', (sentence) => expect(text).not.toContain(sentence))
})
