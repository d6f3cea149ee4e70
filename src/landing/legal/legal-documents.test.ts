import { describe, expect, test } from 'vitest'
import type { LegalParties } from './legal-document.ts'
import { LEGAL_DOCUMENTS } from './legal-documents.ts'
import { LEGAL_DATE, type LegalSlug } from './legal-titles.ts'

const PARTIES: LegalParties = {
  brandName: 'Arco',
  contactEmail: 'oi@arco.example',
  legalName: 'Arco Pagamentos S.A.',
  cnpj: '12.345.678/0001-90',
  dpoEmail: 'dpo@arco.example',
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
