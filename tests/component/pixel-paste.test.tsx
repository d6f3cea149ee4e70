import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { RecognisedTag, TagPreviewRequest } from '#contract/tag-status.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel, makePreview } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PREVIEW = 'POST /admin/api/tags/preview'
const SAVE = 'POST /rest/v1/tracking_pixels'
const META_CODE = "<script>fbq('init', '482910377165024')</script>"
const CLARITY_CODE = '<script>clarity("abcde12345")</script>'

const META: RecognisedTag = {
  vendor: 'meta-pixel',
  name: 'Meta Pixel',
  id: '482910377165024',
  id_label: 'ID do pixel',
  type: 'meta',
  category: 'marketing',
  code: null,
  advice: null,
}
const CLARITY: RecognisedTag = {
  vendor: 'microsoft-clarity',
  name: 'Microsoft Clarity',
  id: 'abcde12345',
  id_label: 'ID do projeto Clarity',
  type: 'custom',
  category: 'desempenho',
  code: null,
  advice: null,
}

let site: ScriptedSite
let person: UserEvent
beforeEach(() => {
  site = new ScriptedSite()
  site.answer(PREVIEW, ({ body }) => {
    const { code } = body as TagPreviewRequest
    const recognised = code.includes('fbq(') ? META : code.includes('clarity(') ? CLARITY : null
    return { ...site.preview, recognised: site.preview.recognised ?? recognised }
  })
})

const code = () => screen.getByLabelText<HTMLTextAreaElement>('Código do Pixel')
const fieldValue = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value

async function openForm(): Promise<void> {
  ;({ person } = await openDashboard(site))
  await person.click((await screen.findAllByRole('button', { name: 'Adicionar Pixel' }))[0] as HTMLElement)
  await screen.findByLabelText('Nome do Pixel')
}

async function paste(text: string): Promise<void> {
  await person.clear(code())
  await person.click(code())
  await person.paste(text)
}

describe('unrecognised code', () => {
  const AGENCY = '<script>load("https://tags.agencia.com.br/a.js")</script>'
  const ABOUT =
    'Não reconhecemos a plataforma. O código roda como está e se comunica com tags.agencia.com.br.'
  beforeEach(() => {
    site.preview = makePreview({ about: ABOUT })
  })

  test('makes the pixel a custom one, keeps the code and requires no ID', async () => {
    await openForm()
    await paste(AGENCY)
    await screen.findByText(ABOUT)
    await waitFor(() => expect(fieldValue('Tipo de Pixel')).toBe('custom'))
    expect(screen.queryByLabelText('Pixel ID')).toBeNull()
    expect(code().value).toBe(AGENCY)
    fireEvent.change(screen.getByLabelText('Nome do Pixel'), { target: { value: 'Agência' } })
    await person.click(screen.getByRole('button', { name: 'Salvar' }))
    await screen.findByText('Pixel salvo: Agência')
    expect(site.callsTo(SAVE)[0]?.body).toMatchObject({ type: 'custom', code: AGENCY })
  })

  test('keeps a chosen type', async () => {
    await openForm()
    await person.clear(code())
    await person.selectOptions(screen.getByLabelText('Tipo de Pixel'), 'google_analytics')
    await paste(AGENCY)
    await screen.findByText(ABOUT)
    expect(fieldValue('Tipo de Pixel')).toBe('google_analytics')
  })
})

describe('the ID field', () => {
  const id = () => screen.getByLabelText<HTMLInputElement>('Pixel ID')

  test('says before saving that an ID is invalid, and still saves it', async () => {
    await openForm()
    fireEvent.change(screen.getByLabelText('Nome do Pixel'), { target: { value: 'Campanha' } })
    fireEvent.change(id(), { target: { value: 'abc' } })
    await screen.findByText('O ID abc não é de um pixel da Meta. O Pixel ID da Meta tem só números.')
    expect(screen.queryByRole('button', { name: /Alterar o tipo/ })).toBeNull()
    await person.click(screen.getByRole('button', { name: 'Salvar' }))
    await screen.findByText('Pixel salvo: Campanha')
    expect(site.callsTo(SAVE)[0]?.body).toMatchObject({ type: 'meta', pixel_id: 'abc' })
  })

  test('names the vendor of another ID and switches the type, with consent and code', async () => {
    await openForm()
    await person.click(id())
    await person.paste('G-7XK2M9QTLP')
    await screen.findByText('O ID G-7XK2M9QTLP não é de um pixel da Meta: é do Google Analytics.')
    await person.click(screen.getByRole('button', { name: 'Alterar o tipo para Google Analytics' }))
    const measurement = screen.getByLabelText<HTMLInputElement>('Measurement ID (GA4)')
    await waitFor(() => expect(document.activeElement).toBe(measurement))
    expect(measurement.value).toBe('G-7XK2M9QTLP')
    expect(code().value).toBe(generateSnippet('google_analytics', 'G-7XK2M9QTLP'))
    expect(fieldValue('Consentimento necessário')).toBe('desempenho')
    expect(screen.queryByText(/não é de um pixel da Meta/)).toBeNull()
  })

  test.each([
    ['spaces and quotes', " '482910377165024', "],
    ['a whole snippet', generateSnippet('meta', '482910377165024')],
  ])('extracts the ID from %s', async (_what, text) => {
    await openForm()
    await person.click(id())
    await person.paste(text)
    expect(id().value).toBe('482910377165024')
    expect(code().value).toBe(generateSnippet('meta', '482910377165024'))
  })
})

describe('fills in empty fields', () => {
  test('the ID of a Meta snippet, and keeps the snippet as pasted', async () => {
    await openForm()
    await paste(META_CODE)
    await screen.findByText('Código reconhecido: Meta Pixel')
    await screen.findByText(/Preenchemos o nome e o ID para você\. Confira antes de salvar\./)
    expect(fieldValue('Pixel ID')).toBe('482910377165024')
    expect(fieldValue('Nome do Pixel')).toBe('Meta Pixel')
    await person.click(screen.getByRole('button', { name: 'Salvar' }))
    await screen.findByText('Pixel salvo: Meta Pixel')
    expect(site.callsTo(SAVE)[0]?.body).toMatchObject({
      code: META_CODE,
      type: 'meta',
      pixel_id: '482910377165024',
      conversion_labels: {},
    })
  })

  test('even when "Salvar" is quicker than the response', async () => {
    await openForm()
    const held = site.hold(PREVIEW)
    await paste(META_CODE)
    await person.click(screen.getByRole('button', { name: 'Salvar' }))
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(0), 30_000)
    for (const call of held) call.release()
    site.letGo(PREVIEW)
    await screen.findByText('Pixel salvo: Meta Pixel')
    expect(site.callsTo(SAVE)[0]?.body).toMatchObject({ code: META_CODE, pixel_id: '482910377165024' })
  })
})

describe('asks before replacing', () => {
  test('a typed ID: kept on request, with the focus back in the code', async () => {
    await openForm()
    await person.type(screen.getByLabelText('Pixel ID'), '111111111111111')
    await paste(META_CODE)
    const question = within(await screen.findByRole('group', { name: 'Alterar o ID para 482910377165024?' }))
    expect(fieldValue('Pixel ID')).toBe('111111111111111')
    question.getByRole('button', { name: 'Manter como está' }).focus()
    await person.keyboard('{Enter}')
    expect(screen.queryByRole('group', { name: /^Alterar/ })).toBeNull()
    expect(document.activeElement).toBe(code())
    expect(fieldValue('Pixel ID')).toBe('111111111111111')
    expect(code().value).toBe(META_CODE)
    // Not a dialog over a dialog.
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  test('a chosen type: changed on request, and the pasted code stays', async () => {
    await openForm()
    await person.selectOptions(screen.getByLabelText('Tipo de Pixel'), 'Personalizado')
    await paste(META_CODE)
    await screen.findByRole('group', { name: 'Alterar o tipo para Meta e o ID para 482910377165024?' })
    expect(fieldValue('Tipo de Pixel')).toBe('custom')
    await person.click(screen.getByRole('button', { name: 'Alterar' }))
    await waitFor(() => expect(fieldValue('Tipo de Pixel')).toBe('meta'))
    expect(fieldValue('Pixel ID')).toBe('482910377165024')
    expect(code().value).toBe(META_CODE)
    expect(document.activeElement).toBe(code())
    await person.click(screen.getByRole('button', { name: 'Salvar' }))
    await screen.findByText('Pixel salvo: Meta Pixel')
    expect(site.callsTo(SAVE)[0]?.body).toMatchObject({ code: META_CODE, type: 'meta' })
  })

  test('a type chosen by hand for its own snippet takes the ID over and generates nothing', async () => {
    await openForm()
    await person.selectOptions(screen.getByLabelText('Tipo de Pixel'), 'Personalizado')
    await paste(META_CODE)
    await screen.findByRole('group', { name: /^Alterar/ })
    await person.selectOptions(screen.getByLabelText('Tipo de Pixel'), 'Meta')
    await waitFor(() => expect(fieldValue('Pixel ID')).toBe('482910377165024'))
    expect(code().value).toBe(META_CODE)
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  test('asks nothing about a stored pixel until its code is edited', async () => {
    site.pixels = [makePixel({ name: 'Mapas', type: 'custom', pixel_id: null, code: CLARITY_CODE })]
    ;({ person } = await openDashboard(site))
    await person.click(await screen.findByRole('button', { name: 'Editar: Mapas' }))
    await screen.findByText('Código reconhecido: Microsoft Clarity')
    expect(screen.queryByRole('group', { name: /^Alterar/ })).toBeNull()
    expect(fieldValue('Consentimento necessário')).toBe('marketing')
    await person.type(code(), ' ')
    await screen.findByRole('group', { name: 'Alterar o consentimento para Desempenho?' })
    expect(fieldValue('Nome do Pixel')).toBe('Mapas')
  })
})

describe('while typing', () => {
  test('drops an older request, and never shows its response', async () => {
    await openForm()
    const held = site.hold(PREVIEW)
    await paste(CLARITY_CODE)
    await vi.waitFor(() => expect(held).toHaveLength(1), 30_000)
    await paste('<script>outra()</script>')
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(1), 30_000)
    expect(held[0]?.call.signal?.aborted).toBe(true)
    for (const call of held) call.release()
    site.letGo(PREVIEW)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(screen.queryByText(/^Código reconhecido/)).toBeNull()
    expect(fieldValue('Nome do Pixel')).toBe('')
  })

  test('sends one request for a burst of keys', async () => {
    await openForm()
    // At once: on a slow machine, no pause lies between the keys.
    for (const value of ['a', 'al', 'ale', 'aler']) fireEvent.change(code(), { target: { value } })
    await waitFor(() => expect(site.callsTo(PREVIEW)).toHaveLength(1))
    expect(site.callsTo(PREVIEW)[0]?.body).toMatchObject({ code: 'aler' })
  })

  test('works without a response, and can be retried', async () => {
    await openForm()
    site.away = true
    await paste(CLARITY_CODE)
    await screen.findByText('Não foi possível verificar o código agora.')
    site.away = false
    await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
    await screen.findByText('Código reconhecido: Microsoft Clarity')
    expect(screen.queryByText('Não foi possível verificar o código agora.')).toBeNull()
  })
})

describe('before saving, the form shows', () => {
  test('what is sent automatically, and which hosts will be opened', async () => {
    site.preview = makePreview({
      sends: ['Visita à página, depois do consentimento: Microsoft Clarity.'],
      allowed: [
        { host: '*.clarity.ms', directive: 'script', source: 'vendor' },
        { host: 'c.bing.com', directive: 'img', source: 'vendor' },
      ],
    })
    await openForm()
    await paste(CLARITY_CODE)
    const forecast = within(await screen.findByRole('region', { name: 'O que esta tag vai fazer' }))
    forecast.getByText('Visita à página, depois do consentimento: Microsoft Clarity.')
    const fold = forecast.getByText('c.bing.com').closest('details')
    expect(fold?.open).toBe(false)
    await person.click(forecast.getByText('2 domínios permitidos'))
    expect(fold?.open).toBe(true)
  })

  test('that structured data and verifications need no consent', async () => {
    const advice = 'Depois de salvar, clique em Verificar no Google.'
    site.preview = makePreview({
      kind: 'head',
      steps: 0,
      recognised: { ...CLARITY, name: 'Verificação do Google', id: null, category: null, advice },
      sends: ['Não envia nada: fica no HTML da página para a plataforma confirmar que o site é seu.'],
    })
    await openForm()
    await paste('<meta name="google-site-verification" content="abc">')
    await screen.findByText('Código reconhecido: Verificação do Google')
    await screen.findByText(advice)
    await screen.findByText('Não se aplica: este código faz parte da página e aparece para todas as pessoas.')
    await screen.findByText(
      'Não envia nada: fica no HTML da página para a plataforma confirmar que o site é seu.',
    )
  })

  test('what cannot work', async () => {
    site.preview = makePreview({
      kind: 'link',
      warnings: [{ code: 'link_only', message: 'Isto é só um link.' }],
    })
    await openForm()
    await paste('<a href="https://wa.me/55">Fale</a>')
    await screen.findByText('Isto é só um link.')
    site.preview = makePreview()
    await paste('<script>ok()</script>')
    await waitFor(() => expect(screen.queryByText('Isto é só um link.')).toBeNull())
  })

  test('that a pixel without code does nothing', async () => {
    site.pixels = [makePixel({ name: 'Vazio', type: 'custom', pixel_id: null, code: '' })]
    ;({ person } = await openDashboard(site))
    await person.click(await screen.findByRole('button', { name: 'Editar: Vazio' }))
    await screen.findByText(/^Sem código, este pixel não funciona\./)
    await person.click(screen.getByLabelText('Pixel ativo'))
    expect(screen.queryByText(/^Sem código/)).toBeNull()
  })

  test('a label found in the code, as a suggestion', async () => {
    const [first, second] = ['Rótulo: abrir conta', 'Rótulo: newsletter']
    const field = { placeholder: '', found: 'AbCdEfGhIjKlMn' }
    site.preview = makePreview({
      labels: [
        { conversion: 'lead', label: first, ...field },
        { conversion: 'sign_up', label: second, ...field },
      ],
    })
    await openForm()
    await paste(CLARITY_CODE)
    const offers = await screen.findAllByRole('button', { name: 'Usar AbCdEfGhIjKlMn, que está no código' })
    expect(offers).toHaveLength(2)
    await person.click(offers[1] as HTMLElement)
    expect([fieldValue(first), fieldValue(second)]).toEqual(['', 'AbCdEfGhIjKlMn'])
    expect(screen.queryByRole('button', { name: /que está no código/ })).toBeNull()
    expect(document.activeElement).toBe(screen.getByLabelText(second))
  })

  test('for a container, the events that its triggers can use', async () => {
    site.preview = makePreview({ triggers: [{ conversion: 'lead', event: 'site_lead' }] })
    await openForm()
    await paste(CLARITY_CODE)
    expect((await screen.findByText('site_lead')).closest('li')?.textContent).toContain('Copiar')
  })

  test('which labels the vendor needs, and stores given ones', async () => {
    const label = 'Rótulo da conversão: inscrição na newsletter'
    site.preview = makePreview({
      labels: [
        {
          conversion: 'lead',
          label: 'Rótulo da conversão: abrir conta',
          placeholder: 'AbC-D_efG',
          found: null,
        },
        { conversion: 'sign_up', label, placeholder: 'AbC-D_efG', found: null },
      ],
    })
    await openForm()
    await paste(CLARITY_CODE)
    await person.type(await screen.findByLabelText(label), 'não pode')
    await person.click(screen.getByRole('button', { name: 'Salvar' }))
    await screen.findByText('Use até 64 caracteres: letras, números, hífen (-), sublinhado (_) e barra (/).')
    await person.clear(screen.getByLabelText(label))
    await person.type(screen.getByLabelText(label), 'AbC-D_1')
    await person.click(screen.getByRole('button', { name: 'Salvar' }))
    await screen.findByText('Pixel salvo: Microsoft Clarity')
    expect(site.callsTo(SAVE)[0]?.body).toMatchObject({ conversion_labels: { sign_up: 'AbC-D_1' } })
    // An invalid one is never sent.
    for (const { body } of site.callsTo(PREVIEW)) expect(JSON.stringify(body)).not.toContain('não pode')
  })
})
