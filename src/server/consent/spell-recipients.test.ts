import { expect, test } from 'vitest'
import type { RecipientsContent } from '#contract/consent.ts'
import { spellRecipients } from './notice.ts'
import { canonicalJson } from './proof/canonical.ts'

const recipient = (name: string): RecipientsContent['recipients'][number] => ({
  pixel: 'a',
  type: 'custom',
  account: null,
  category: 'marketing',
  told_by: 'browser',
  vendors: [{ id: 'x', name, company: 'Ação "S.A."', country: 'BR', purpose: 'medir\u2028' }],
  hosts: ['b.com', 'a.com'],
})

test('writes recipients in canonical form, the first time and the second', () => {
  const known = recipient('Um')
  const controller = { name: 'Pórtico', cnpj: null, contact: 'dpo@exemplo.com.br', site: 'https://e.com.br' }
  const sets = [[], [known], [recipient('Dois'), known], [known, known]]
  for (const recipients of sets) {
    const content = { tag_set_version: 'é"', recipients, controller }
    expect(spellRecipients(content)).toBe(canonicalJson(content))
  }
})
