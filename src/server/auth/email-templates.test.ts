import { describe, expect, test } from 'vitest'
import { type EmailInput, renderEmail } from '../mail/email.ts'
import {
  type NoticeInput,
  type NoticeKind,
  noticeEmail,
  TOKEN_EMAILS,
  type WhoActed,
} from './email-templates.ts'

const INPUT: EmailInput = {
  brandName: 'Arco',
  place: 'no painel Arco',
  isAdministrator: true,
  url: 'https://painel.exemplo.com.br/admin#token',
  code: '482913',
  newEmail: 'nova@exemplo.com.br',
}
/** An unfilled placeholder, a doubled word, a wrong contraction, or doubled punctuation. */
const BROKEN = /undefined|null|NaN|\{|\}|\b(\p{L}+) \1\b|\bde [ao]s?\b|\bem [ao]s?\b| [.,;:]|\.\.| {2}/u

const isWhole = (email: ReturnType<typeof noticeEmail>) => {
  const { subject, text, html } = renderEmail(email, 'Arco')
  expect(subject.length).toBeLessThanOrEqual(60)
  expect(email.preview?.length ?? 0).toBeGreaterThan(0)
  expect(email.preview?.length ?? 0).toBeLessThanOrEqual(90)
  for (const sentence of [subject, email.preview ?? '', ...email.paragraphs, ...email.closing]) {
    expect(sentence).not.toMatch(BROKEN)
    expect(sentence).toMatch(/^\p{Lu}/u)
  }
  expect(html).toContain(email.preview)
  expect(text).not.toContain(email.preview)
  return text
}

describe.each(Object.entries(TOKEN_EMAILS))('the email %s', (kind, compose) => {
  test.each([true, false])('is complete (administrator: %s)', (isAdministrator) => {
    const place = isAdministrator ? 'no painel Arco' : 'em Arco'
    const text = isWhole(compose({ ...INPUT, isAdministrator, place }))
    if (!isAdministrator) expect(text).not.toContain('painel Arco')
  })

  test('shows a code to administrators only where the dashboard asks for one', () => {
    const text = renderEmail(compose(INPUT), 'Arco').text
    expect(text.includes(INPUT.code)).toBe(['recovery', 'reauthentication'].includes(kind))
  })

  test('shows the code to people of other applications', () => {
    expect(renderEmail(compose({ ...INPUT, isAdministrator: false }), 'Arco').text).toContain(INPUT.code)
  })
})

const KINDS: NoticeKind[] = [
  'password',
  'email',
  'factor-added',
  'factor-removed',
  'factors-removed',
  'recovery-codes',
  'passkey-added',
  'passkey-removed',
  'principal',
  'second-step-failed',
]
const ACTORS: WhoActed[] = ['self', 'administrator', 'operator', 'password-holder']

describe.each(KINDS)('the notice %s', (kind) => {
  const input = (change: Partial<NoticeInput> = {}): NoticeInput => ({
    kind,
    by: 'self',
    at: new Date('2026-11-17T09:15:00.000Z'),
    place: 'no painel Arco',
    brandName: 'Arco',
    factors: 1,
    adminUrl: 'https://painel.exemplo.com.br',
    ...change,
  })

  test.each(ACTORS)('is complete when %s acted', (by) => {
    for (const factors of [0, 1, 2])
      for (const adminUrl of [null, 'https://painel.exemplo.com.br']) {
        const text = isWhole(noticeEmail(input({ by, factors, adminUrl })))
        expect(text).toContain('17/11/2026, 06:15 (horário de Brasília)')
      }
  })
})

test.each([
  ['factor-added', 1, 'Verificação em duas etapas ativada'],
  ['factor-added', 2, 'Novo método na verificação em duas etapas'],
  ['factor-removed', 1, 'Um método da verificação em duas etapas foi removido'],
  ['factor-removed', 0, 'Verificação em duas etapas desativada'],
] as const)('%s with %d methods left says "%s"', (kind, factors, subject) => {
  const email = noticeEmail({
    kind,
    by: 'self',
    at: new Date(),
    place: 'em Arco',
    brandName: 'Arco',
    factors,
    adminUrl: null,
  })
  expect(email.subject).toBe(subject)
})
