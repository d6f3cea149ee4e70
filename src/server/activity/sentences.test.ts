import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SENTENCES, sentenceOf } from './sentences.ts'

const NOTHING = {
  name: null,
  isSelf: false,
  wasActive: null,
  isActive: null,
  isSwitchOnly: false,
  isRestored: false,
  oldRole: null,
  newRole: null,
  oldEmail: null,
  newEmail: null,
  askedEmail: null,
  typedEmail: null,
  hosts: [],
}
/** Actions whose name is composed: of what, and of which verbs. */
const COMPOSED: Record<string, readonly string[]> = {
  'src/server/data/row-writer.ts': ['insert', 'update', 'delete'].map((verb) => `tracking_pixels.${verb}`),
}

/** Their callers name the action. */
const RECORDERS = ['src/server/activity/trail.ts', 'src/server/auth/accounts/change-account.ts']

/** Every action that the server's source records. */
function recordedActions(): { file: string; actions: string[] }[] {
  return globSync('src/server/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts') && !RECORDERS.includes(file))
    .flatMap((file) => {
      const source = readFileSync(file, 'utf8')
      if (!/\brecordAudit\(|\.audit\(/.test(source)) return []
      // An object may be named before it is recorded, and a choice between two may continue on the next line.
      const named = [
        ...source.matchAll(/(?:\baction(?::| =)|\.audit\()([^\n]*(?:\n\s*[?:'][^\n]*)*)/g),
      ].flatMap(([, text = '']) =>
        [...text.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, action = '']) => action),
      )
      return [{ file, actions: [...named, ...(COMPOSED[file] ?? [])] }]
    })
}

test('every recorded action has a sentence', () => {
  const recorded = recordedActions()
  expect(recorded.length).toBeGreaterThan(20)
  // This test cannot read a file that records something without naming an action.
  expect(recorded.filter(({ actions }) => actions.length === 0)).toEqual([])
  const missing = recorded.flatMap(({ file, actions }) =>
    actions.filter((action) => !Object.hasOwn(SENTENCES, action)).map((action) => `${action} of ${file}`),
  )
  expect(missing).toEqual([])
})

test('no sentence says that something active was switched off', () => {
  const words = Object.keys(SENTENCES)
    .filter((action) => action.startsWith('tags.'))
    .map((action) => sentenceOf(action, { ...NOTHING, name: 'Loja' }).text)
  expect(words.filter((text) => /deslig|desativ|relig/.test(text))).toEqual([])
})

test('every sentence belongs to a recorded action', () => {
  const recorded = new Set(recordedActions().flatMap(({ actions }) => actions))
  expect(Object.keys(SENTENCES).filter((action) => !recorded.has(action))).toEqual([])
})

test('sentences continue after the name, whatever is known', () => {
  for (const action of Object.keys(SENTENCES)) {
    const { text } = sentenceOf(action, NOTHING)
    expect(text).toMatch(/^\p{Ll}[^\n]+[^\s.:]$/u)
    expect(text).not.toMatch(/null|undefined/)
  }
})

test.each<[string, Partial<typeof NOTHING> | object, string]>([
  [
    'tracking_pixels.update',
    { name: 'Loja', wasActive: true, isActive: false, isSwitchOnly: true },
    'desativou o pixel Loja',
  ],
  [
    'tracking_pixels.update',
    { name: 'Loja', wasActive: false, isActive: true },
    'editou e ativou o pixel Loja',
  ],
  ['tracking_pixels.update', { name: 'Loja', wasActive: true, isActive: true }, 'editou o pixel Loja'],
  ['tracking_pixels.insert', { name: 'Loja', isRestored: true }, 'restaurou o pixel Loja da lixeira'],
  ['tags.breaker_pause', { name: 'Loja' }, 'pausou o pixel Loja porque falhou em muitas visitas'],
  [
    'tags.breaker_pause_cost',
    { name: 'Loja' },
    'pausou o pixel Loja porque deixou a página lenta em muitas visitas',
  ],
  ['tags.breaker_rearm', { name: 'Loja' }, 'retomou o pixel Loja depois da pausa automática'],
  ['tags.resume', {}, 'retomou todas as tags'],
  ['tags.allow_host', { name: 'Loja', hosts: ['a.com'] }, 'permitiu o domínio a.com no pixel Loja'],
  [
    'user.updated',
    { name: 'a@b.co', oldRole: 'admin', newRole: 'super_admin' },
    'alterou a função de a@b.co para Super Admin',
  ],
  ['user.updated', { oldEmail: 'a@b.co', newEmail: 'c@b.co' }, 'alterou o e-mail de a@b.co para c@b.co'],
  ['user.password_changed', { isSelf: true }, 'alterou a própria senha'],
  ['user.password_changed', { name: 'a@b.co' }, 'alterou a senha de a@b.co'],
  ['outcomes.key_made', { name: 'Cadastro' }, 'criou a chave de API Cadastro'],
  ['outcomes.key_revoked', { name: 'Cadastro' }, 'revogou a chave de API Cadastro'],
  ['outra.coisa', {}, 'fez uma ação que esta versão não reconhece (outra.coisa)'],
])('%s', (action, facts, text) => {
  expect(sentenceOf(action, { ...NOTHING, ...facts }).text).toBe(text)
})
