import { describe, expect, test } from 'vitest'
import type { RecognisedTag } from '#contract/tag-status.ts'
import { toSendingForm } from '../sending.ts'
import { describeFilled, describeQuestion, type FillContext, planFill } from './recognition.ts'
import type { PixelForm } from './schema.ts'

const EMPTY: PixelForm = {
  name: '',
  type: 'meta',
  pixel_id: '',
  code: 'colado',
  consent_category: 'marketing',
  conversion_labels: { lead: '', contact: '', sign_up: '' },
  is_active: true,
  auto_disable: false,
  runs_in: 'page',
  reason: '',
  ...toSendingForm(null),
}
const META: RecognisedTag = {
  vendor: 'meta-pixel',
  name: 'Meta Pixel',
  id: '482910377165024',
  id_label: 'Pixel ID',
  type: 'meta',
  category: 'marketing',
  code: null,
  advice: null,
}
const CLARITY: RecognisedTag = {
  ...META,
  vendor: 'microsoft-clarity',
  name: 'Microsoft Clarity',
  id: 'abcde12345',
  type: 'custom',
  category: 'desempenho',
}
const BARE: RecognisedTag = {
  ...META,
  name: 'Google Analytics',
  id: 'G-ABC123',
  type: 'google_analytics',
  category: 'desempenho',
  code: '<script>…</script>',
}
const FRESH: FillContext = {
  chosen: { type: false, consent_category: false },
  filled: {},
  isPasted: true,
}
const CHOSEN = { ...FRESH, chosen: { type: true, consent_category: true } }

describe('fills in', () => {
  test('the ID of a pasted Meta snippet, and a name', () => {
    expect(planFill(EMPTY, META, FRESH)).toEqual({
      set: { name: 'Meta Pixel', pixel_id: '482910377165024' },
      ask: {},
    })
  })

  test('type and consent that nobody chose', () => {
    expect(planFill(EMPTY, CLARITY, FRESH)).toEqual({
      set: { name: 'Microsoft Clarity', type: 'custom', consent_category: 'desempenho' },
      ask: {},
    })
  })

  test('the snippet for a pasted ID', () => {
    expect(planFill({ ...EMPTY, code: 'G-ABC123' }, BARE, FRESH).set).toEqual({
      name: 'Google Analytics',
      type: 'google_analytics',
      pixel_id: 'G-ABC123',
      consent_category: 'desempenho',
      code: '<script>…</script>',
    })
  })

  test('over what recognition filled in before', () => {
    const filled = { name: 'Meta Pixel', pixel_id: META.id ?? '' }
    expect(planFill({ ...EMPTY, ...filled }, CLARITY, { ...FRESH, filled })).toEqual({
      set: { name: 'Microsoft Clarity', type: 'custom', pixel_id: '', consent_category: 'desempenho' },
      ask: {},
    })
  })

  test('nothing that the form already has', () => {
    const form = { ...EMPTY, name: 'Campanhas', pixel_id: '482910377165024' }
    expect(planFill(form, META, CHOSEN)).toEqual({ set: {}, ask: {} })
  })
})

describe('asks before', () => {
  test('replacing a typed ID', () => {
    expect(planFill({ ...EMPTY, pixel_id: '111111111111111' }, META, FRESH)).toEqual({
      set: { name: 'Meta Pixel' },
      ask: { pixel_id: '482910377165024' },
    })
  })

  test('replacing a chosen type, with its ID', () => {
    expect(planFill({ ...EMPTY, type: 'custom' }, META, CHOSEN)).toEqual({
      set: { name: 'Meta Pixel' },
      ask: { type: 'meta', pixel_id: '482910377165024' },
    })
  })

  test('a type that would drop a typed ID', () => {
    expect(planFill({ ...EMPTY, pixel_id: '111111111111111' }, CLARITY, FRESH)).toEqual({
      set: { name: 'Microsoft Clarity', consent_category: 'desempenho' },
      ask: { type: 'custom', pixel_id: '' },
    })
  })

  test('replacing a chosen consent', () => {
    const form = { ...EMPTY, type: 'custom' as const, consent_category: 'funcionalidade' as const }
    expect(planFill(form, CLARITY, CHOSEN).ask).toEqual({ consent_category: 'desempenho' })
  })

  test('turning an ID that is still being typed into a snippet', () => {
    const plan = planFill({ ...EMPTY, code: 'G-ABC123' }, BARE, { ...FRESH, isPasted: false })
    expect(plan.ask).toEqual({ code: '<script>…</script>' })
  })

  test('keeps a typed name without asking', () => {
    expect(planFill({ ...EMPTY, name: 'Minha' }, CLARITY, FRESH).set.name).toBeUndefined()
    expect(planFill({ ...EMPTY, name: 'Minha' }, CLARITY, FRESH).ask).toEqual({})
  })
})

test('texts', () => {
  expect(describeQuestion({ type: 'meta', pixel_id: '482910377165024' })).toBe(
    'Alterar o tipo para Meta e o ID para 482910377165024?',
  )
  expect(describeQuestion({ type: 'custom', pixel_id: '' })).toBe(
    'Alterar o tipo para Personalizado? O ID atual será apagado.',
  )
  expect(describeFilled({ name: 'x', type: 'custom', consent_category: 'marketing' })).toBe(
    'Preenchemos o nome, o tipo e o consentimento para você. Confira antes de salvar.',
  )
  expect(describeFilled({})).toBeNull()
})
